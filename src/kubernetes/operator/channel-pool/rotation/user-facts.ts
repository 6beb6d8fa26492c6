import { listed, type PodsToWaitFor } from '../../../../payments/channels/rotation/phases.ts'
import { canonicalJson } from '../../../../platform/core/text/canonical-json.ts'
import type { ChannelPool } from '../../../crd/channel-pool.ts'
import { podSponsors, stepOf } from '../../references/pod-sponsors.ts'
import type { PoolUser } from '../../references/pool-users.ts'
import { keySecretOf } from '../../references/sponsor-source.ts'

type FollowedPool = Pick<ChannelPool, 'metadata' | 'spec' | 'status'>

/** Describes the Facilitators whose pods do not all mount the seeds of the pool's step yet; undefined without one. */
export function podsToWaitFor(
  pool: FollowedPool,
  users: readonly PoolUser[],
): PodsToWaitFor | undefined {
  const late = users.filter((user) => !hasFollowed(pool, user))
  return late.length > 0 ? podsOf(late) : undefined
}

/** @param late at least one */
export function podsOf(late: readonly Pick<PoolUser, 'name' | 'trouble'>[]): PodsToWaitFor {
  const failing = late.find(({ trouble }) => trouble !== undefined)
  const why = failing ? ` Of ${failing.name}: ${failing.trouble?.says}` : ''
  const names = listed(late.map(({ name }) => name))
  return { waits: `The pods of Facilitator ${names} are replaced.${why}`, stuck: stuckOf(late) }
}

function stuckOf(late: readonly Pick<PoolUser, 'name' | 'trouble'>[]): string | undefined {
  const [first, ...others] = late.filter(({ trouble }) => trouble?.isStuck)
  if (!first) return undefined
  const more =
    others.length > 0 ? ` Neither are those of ${listed(others.map(({ name }) => name))}.` : ''
  const says = `The pods of Facilitator ${first.name} are not replaced: its rollout has stopped.${more}`
  return `${says} It says ${first.trouble?.says}`
}

/** The step tells a report about these seeds from an older one about the same. */
function hasFollowed(pool: FollowedPool, { uptoSeconds, sponsors }: PoolUser): boolean {
  if (!sponsors || sponsors.step !== stepOf(pool)) return false
  const { current, next, previous } = podSponsors(pool, uptoSeconds !== undefined)
  const wanted = [current, next, previous].map((source) =>
    source ? keySecretOf(pool, source) : null,
  )
  const mounted = [sponsors.current, sponsors.next ?? null, sponsors.previous ?? null]
  return canonicalJson(mounted) === canonicalJson(wanted)
}

/** The largest time in seconds for which a buyer may sign with the scheme upto; undefined when none of them serves it. */
export function uptoSecondsOf(users: readonly PoolUser[]): number | undefined {
  const all = users.flatMap(({ uptoSeconds }) => uptoSeconds ?? [])
  return all.length > 0 ? Math.max(...all) : undefined
}
