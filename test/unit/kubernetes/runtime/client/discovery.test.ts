import { describe, expect, test } from 'vitest'
import { createDiscovery } from '../../../../../src/kubernetes/runtime/client/discovery.ts'
import { KubeError } from '../../../../../src/kubernetes/runtime/client/kube-error.ts'
import { noKubeMetrics } from '../../../../../src/kubernetes/runtime/metrics/metrics.ts'
import { FakeClock } from '../../../../support/fake-clock.ts'
import { things } from '../support/objects.ts'
import { half, silentLogger } from '../support/silence.ts'

/** Runs a discovery of `things`; each call of the server gets the next answer, then the last one again. */
function start(...answers: readonly (readonly string[] | Error)[]) {
  const clock = new FakeClock()
  const paths: string[] = []
  let [errors, changes] = [0, 0]
  const discovery = createDiscovery({
    client: {
      read: async (path) => {
        const answer = answers[Math.min(paths.length, answers.length - 1)] ?? []
        paths.push(path)
        if (answer instanceof Error) throw answer
        return { resources: answer.map((name) => ({ name })) }
      },
    },
    types: [things],
    clock,
    random: half,
    logger: silentLogger,
    metrics: { ...noKubeMetrics, discoveryErrors: { inc: () => (errors += 1) } },
    refreshMs: 60_000,
  })
  discovery.onChange(() => (changes += 1))
  const stop = new AbortController()
  const running = discovery.run(stop.signal)
  return {
    clock,
    discovery,
    paths,
    counts: () => ({ errors, changes }),
    async [Symbol.asyncDispose]() {
      stop.abort()
      await running
    },
  }
}

describe('discovery', () => {
  test('asks for the group of a kind, and reports kinds that appear or disappear', async () => {
    await using started = start([], ['things'], ['things'], new KubeError(notFound))
    await started.discovery.answered
    const served = [started.discovery.serves(things)]
    for (const _ of [1, 2, 3]) {
      await started.clock.advance(60_000)
      served.push(started.discovery.serves(things))
    }

    expect(served).toEqual([false, true, true, false])
    expect(started.counts()).toEqual({ errors: 0, changes: 2 })
    expect(new Set(started.paths)).toEqual(new Set(['/apis/test.dev/v1']))
  })

  test('counts failures, repeats them each second until the first answer, and keeps what it knows', async () => {
    const down = new KubeError({ kind: 'transport', message: 'down' })
    await using started = start(down, down, ['things'], down)
    await started.clock.advance(1_999)
    expect(started.discovery.serves(things)).toBe(false)
    await started.clock.advance(1)
    expect(started.discovery.serves(things)).toBe(true)
    await started.clock.advance(60_000)

    expect(started.discovery.serves(things)).toBe(true)
    expect(started.counts()).toEqual({ errors: 3, changes: 1 })
    expect(started.paths).toHaveLength(4)
  })
})

const notFound = { kind: 'notFound', message: 'no such group' } as const
