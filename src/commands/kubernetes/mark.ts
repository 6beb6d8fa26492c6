import { isMarked } from '../../kubernetes/crd/names/marks.ts'
import { waitForRollout } from '../../kubernetes/plugin/rollout/wait-for-rollout.ts'
import { findFacilitator } from '../../kubernetes/plugin/targets/choose.ts'
import { annotate, titleOf } from '../../kubernetes/plugin/targets/marks.ts'
import { isoTime } from '../../platform/core/text/iso-time.ts'
import { printable } from '../../platform/core/text/printable.ts'
import { systemClock } from '../../platform/core/time/clock.ts'
import { TimeLimitExceeded, withTimeLimit } from '../../platform/core/time/time-limit.ts'
import { createLogger } from '../../platform/telemetry/logs/logger.ts'
import { type KubeInput, print, say } from './run.ts'

export const pause = (input: KubeInput) => mark(input, 'true')
export const resume = (input: KubeInput) => mark(input, null)

async function mark({ cluster, target }: KubeInput, value: 'true' | null): Promise<number> {
  if (!target) throw new TypeError('an action without its target')
  const { changed } = await annotate(cluster, target, 'paused', value)
  const title = titleOf(target)
  const already = changed ? '' : 'already '
  print(
    value === null
      ? `${title} is ${changed ? 'no longer paused' : 'not paused'}: the operator keeps it as its spec says.\n`
      : `${title} is ${already}paused: the operator changes nothing of it, and its pods serve on. ` +
          `To end that: kubectl svc resume ${target.kind === 'ChannelPool' ? 'pool/' : ''}${target.name}\n`,
  )
  return 0
}

export async function rollout({ cluster, target, flags, stop }: KubeInput): Promise<number> {
  if (!target) throw new TypeError('an action without its target')
  const { metadata } = await findFacilitator(cluster, target.name)
  if (isMarked({ kind: 'Facilitator', metadata }, 'paused')) {
    say(
      `${titleOf(target)} is paused, so the operator would replace no pod. First run: kubectl svc resume ${target.name}`,
    )
    return 1
  }
  const restartedAt = isoTime(systemClock.now())
  await annotate(cluster, target, 'restartedAt', restartedAt)
  print(`${titleOf(target)}: the operator replaces every pod, a few at a time.\n`)
  if (!flags.wait) return 0
  return waitFor({ cluster, target, flags, stop }, restartedAt)
}

async function waitFor(
  { cluster, target, flags, stop }: Omit<KubeInput, 'stopAtOnce'>,
  restartedAt: string,
): Promise<number> {
  const name = target?.name ?? ''
  let last = 'no pod was read'
  const onProgress = (says: string) => {
    last = says
    print(`${printable(says)}\n`)
  }
  try {
    const limit = { clock: systemClock, ms: flags['wait-timeout'], signal: stop }
    const ended = await withTimeLimit(limit, (signal) =>
      waitForRollout(cluster, {
        name,
        restartedAt,
        onProgress,
        clock: systemClock,
        random: Math.random,
        logger: createLogger({ level: 'silent' }),
        stop: signal,
      }),
    )
    if (ended.state === 'done') {
      print('Every pod is replaced.\n')
      return 0
    }
    if (ended.state === 'failed') last = ended.says
    say(`The rollout has stopped. ${last} See kubectl svc status ${name}.`)
    return 1
  } catch (error) {
    if (!(error instanceof TimeLimitExceeded)) throw error
    say(`The rollout goes on after the time limit. ${last}. See kubectl svc status ${name}.`)
    return 1
  }
}
