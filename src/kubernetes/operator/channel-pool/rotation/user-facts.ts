import { canonicalJson } from '../../../../platform/core/text/canonical-json.ts'
import type { ChannelPool } from '../../../crd/channel-pool.ts'
import { podSponsors, stepOf } from '../../references/pod-sponsors.ts'
import type { PoolUser } from '../../references/pool-users.ts'

/** A Facilitator whose pods do not all mount the seeds of the pool's step yet. */
export type FacilitatorToWaitFor = Pick<PoolUser, 'name' | 'trouble'>

/** By name. */
export const facilitatorsToWaitFor = (
  pool: Pick<ChannelPool, 'spec' | 'status'>,
  users: readonly PoolUser[],
): readonly FacilitatorToWaitFor[] => users.filter((user) => !hasFollowed(pool, user))

/** The step tells a report about these seeds from an older one about the same. */
function hasFollowed(
  pool: Pick<ChannelPool, 'spec' | 'status'>,
  { uptoSeconds, sponsors }: PoolUser,
): boolean {
  if (!sponsors || sponsors.step !== stepOf(pool)) return false
  const { current, next = null, previous = null } = podSponsors(pool, uptoSeconds !== undefined)
  const mounted = [sponsors.current, sponsors.next ?? null, sponsors.previous ?? null]
  return canonicalJson(mounted) === canonicalJson([current, next, previous])
}

/** The largest time in seconds for which a buyer may sign with the scheme upto; undefined when none of them serves it. */
export function uptoSecondsOf(users: readonly PoolUser[]): number | undefined {
  const all = users.flatMap(({ uptoSeconds }) => uptoSeconds ?? [])
  return all.length > 0 ? Math.max(...all) : undefined
}
