import type { SponsorSource } from '../../crd/channel-pool/sponsor-source.ts'
import type { ChannelPool } from '../../crd/channel-pool.ts'
import { isUnderWay, type Rotation, servingSide, sponsorInUse } from './rotation-state.ts'

interface PoolOfPods {
  readonly spec: Pick<ChannelPool['spec'], 'sponsor'>
  readonly status?: ChannelPool['status']
}

/** The sponsors whose keys pods get. */
export interface PodSponsors {
  /** The sponsor that they serve. */
  readonly current: SponsorSource
  /** The next sponsor, mounted with the scheme upto: buyers may already sign for its authority at pods that were replaced. */
  readonly next?: SponsorSource | undefined
  /** The previous sponsor, mounted with the scheme upto: buyers may have signed for its authority. */
  readonly previous?: SponsorSource | undefined
}

/**
 * By the status of the pool, never by its spec: the pods change their sponsor when the operator of the pool says so. Without the scheme
 * upto no pod needs a second seed, since any replica finishes a settlement from its recorded envelope.
 */
export function podSponsors(pool: PoolOfPods, servesUpto: boolean): PodSponsors {
  const rotation = pool.status?.rotation
  const current = sponsorInUse(pool)
  if (!servesUpto || !isUnderWay(rotation) || rotation.mode === 'Emergency') return { current }
  if (rotation.phase === 'Introducing') return { current, next: rotation.to.source }
  if (rotation.phase !== 'Moving' && rotation.phase !== 'Expiring') return { current }
  return { current, previous: leftBehind(rotation).source }
}

const leftBehind = (rotation: Rotation): Rotation['from'] =>
  servingSide(rotation) === 'to' ? rotation.from : rotation.to

/** The step that pods follow which mount these seeds; 0 for a pool that never changed its sponsor. */
export const stepOf = ({ status }: Pick<PoolOfPods, 'status'>): number =>
  status?.rotation?.step ?? 0
