import type { ChannelPool } from '../../api/channel-pool.ts'
import { annotations } from '../../api/marks.ts'
import { type KubeObject, keyOf } from '../../kube/resource.ts'
import { claimSponsor, releaseSponsor, sponsorsOwnedBy } from '../../store/pools/ownership.ts'
import { listPoolChannels } from '../../store/pools/pool-channels.ts'
import type { Connected } from './connect.ts'
import { Obstacle } from './obstacles.ts'

/**
 * Makes the pool the one that manages its sponsor's channels. Throws an `Obstacle` when another pool
 * does, or when the pool still has channels of another sponsor.
 */
export async function own(pool: ChannelPool & KubeObject, connected: Connected): Promise<void> {
  const { network, sponsor, write } = connected
  const { uid } = pool.metadata
  if (await owns(pool, connected)) return
  const name = keyOf(pool.metadata)
  const claim = { network, sponsor, uid, name }
  const owner = await write(claimSponsor, claim)
  if (owner.uid === uid) return
  if (owner.name === pool.metadata.annotations?.[annotations.takeOver]) {
    await write(releaseSponsor, owner)
    await write(claimSponsor, claim)
    return
  }
  throw new Obstacle(
    'Conflict',
    `ChannelPool ${owner.name} manages the channels of sponsor ${sponsor} already: ` +
      'delete one of the two, or give this one a sponsor of its own. If that pool is gone for good, ' +
      `the annotation ${annotations.takeOver}: ${owner.name} lets this one have them.`,
  )
}

/**
 * Whether the pool manages the channels of the sponsor that its Secret names. A sponsor that it managed
 * before is given up once it has no channels; until then this throws an `Obstacle`, since only that
 * sponsor's seed can merge them.
 */
export async function owns(
  pool: ChannelPool & KubeObject,
  { network, sponsor, store, write }: Connected,
): Promise<boolean> {
  const owned = await sponsorsOwnedBy(store.db, pool.metadata.uid)
  for (const other of owned) {
    if (other.network === network && other.sponsor === sponsor) continue
    const channels = await listPoolChannels(store.db, other)
    if (channels.some(({ state }) => state !== 'retired')) {
      throw new Obstacle(
        'SponsorChanged',
        `The Secret holds the seed of ${sponsor}, but the channels belong to ${other.sponsor}: put its ` +
          'seed back, empty the pool (spec.channels: 0), then change the Secret.',
      )
    }
    await write(releaseSponsor, other)
  }
  return owned.some((each) => each.network === network && each.sponsor === sponsor)
}
