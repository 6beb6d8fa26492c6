import type { ChannelPool } from '../../crd/channel-pool.ts'
import type { SecretKey } from '../../crd/fields/fields.ts'
import { isUnderWay, type Rotation, servingSide, sponsorInUse } from './rotation-state.ts'

interface PoolOfPods {
  readonly spec: Pick<ChannelPool['spec'], 'sponsorSecretRef'>
  readonly status?: ChannelPool['status']
}

/** The Secrets of the seeds that pods mount. */
export interface PodSponsors {
  /** The sponsor that they serve. */
  readonly current: SecretKey
  /** The next sponsor, mounted with the scheme upto: buyers may already sign for its authority at pods that were replaced. */
  readonly next?: SecretKey | undefined
  /** The previous sponsor, mounted with the scheme upto: buyers may have signed for its authority. */
  readonly previous?: SecretKey | undefined
}

/**
 * By the status of the pool, never by its spec: the pods change their sponsor when the operator of the pool says so. Without the scheme
 * upto no pod needs a second seed, since any replica finishes a settlement from its recorded envelope.
 */
export function podSponsors(pool: PoolOfPods, servesUpto: boolean): PodSponsors {
  const rotation = pool.status?.rotation
  const current = sponsorInUse(pool)
  if (!servesUpto || !isUnderWay(rotation) || rotation.mode === 'Emergency') return { current }
  if (rotation.phase === 'Introducing') return { current, next: rotation.to.secretRef }
  if (rotation.phase !== 'Moving' && rotation.phase !== 'Expiring') return { current }
  return { current, previous: leftBehind(rotation).secretRef }
}

const leftBehind = (rotation: Rotation): Rotation['from'] =>
  servingSide(rotation) === 'to' ? rotation.from : rotation.to

/** The step that pods follow which mount these seeds; 0 for a pool that never changed its sponsor. */
export const stepOf = ({ status }: Pick<PoolOfPods, 'status'>): number =>
  status?.rotation?.step ?? 0
