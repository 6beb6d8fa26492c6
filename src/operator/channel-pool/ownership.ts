import type { ChannelPool } from '../../api/channel-pool.ts'
import { annotations } from '../../api/marks.ts'
import { type KubeObject, keyOf } from '../../kube/resource.ts'
import type { Connected } from './connect.ts'
import { Obstacle } from './obstacles.ts'

/**
 * Makes the pool the one that manages its sponsor's channels. Throws an `Obstacle` when another pool
 * does, or when the pool still has channels of another sponsor.
 */
export async function own(
  pool: ChannelPool & KubeObject,
  { network, sponsor, store, writes }: Connected,
): Promise<void> {
  const { uid } = pool.metadata
  const before = pool.status?.sponsor?.address
  if (before !== undefined && before !== sponsor && (pool.status?.channels?.accounts ?? 0) > 0) {
    throw new Obstacle(
      'SponsorChanged',
      `The Secret holds the seed of ${sponsor}, but the channels belong to ${before}: put its seed ` +
        'back, empty the pool (spec.channels: 0), then change the Secret.',
    )
  }
  for (const owned of await store.pools.ownedBy(uid)) {
    if (owned.network === network && owned.sponsor === sponsor) return
    await writes.releaseSponsor(owned)
  }
  const name = keyOf(pool.metadata)
  const claim = { network, sponsor, uid, name }
  const owner = await writes.claimSponsor(claim)
  if (owner.uid === uid) return
  if (owner.name === pool.metadata.annotations?.[annotations.takeOver]) {
    await writes.releaseSponsor(owner)
    await writes.claimSponsor(claim)
    return
  }
  throw new Obstacle(
    'Conflict',
    `ChannelPool ${owner.name} manages the channels of sponsor ${sponsor} already: ` +
      'delete one of the two, or give this one a sponsor of its own. If that pool is gone for good, ' +
      `the annotation ${annotations.takeOver}: ${owner.name} lets this one have them.`,
  )
}
