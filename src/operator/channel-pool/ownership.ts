import type { ChannelPool } from '../../api/channel-pool.ts'
import { annotations } from '../../api/marks.ts'
import { type KubeObject, keyOf } from '../../kube/resource.ts'
import { claimSponsor, releaseSponsor, sponsorsOwnedBy } from '../../store/pools/ownership.ts'
import { listPoolChannels } from '../../store/pools/pool-channels.ts'
import { PoolBlocked } from './blockers.ts'
import type { Connected } from './connect.ts'

/**
 * Records in the store that this pool manages the sponsor's channels. Throws `PoolBlocked` when another pool
 * does, or while this one still has channels of another sponsor.
 */
export async function takeSponsor(
  pool: ChannelPool & KubeObject,
  connected: Connected,
): Promise<void> {
  const { network, sponsor, write } = connected
  const { uid } = pool.metadata
  if (await managesSponsor(pool, connected)) return
  const name = keyOf(pool.metadata)
  const claim = { network, sponsor, uid, name }
  const owner = await write(claimSponsor, claim)
  if (owner.uid === uid) return
  if (owner.name === pool.metadata.annotations?.[annotations.takeOver]) {
    await write(releaseSponsor, owner)
    await write(claimSponsor, claim)
    return
  }
  throw new PoolBlocked(
    'Conflict',
    `ChannelPool ${owner.name} already manages the channels of sponsor ${sponsor}: ` +
      'delete one of the two, or give this one another sponsor. If that pool no longer exists, ' +
      `set the annotation ${annotations.takeOver}: ${owner.name} on this one, which then takes them over.`,
  )
}

/** Gives up every sponsor of a pool in the store; another pool may take them over. */
export async function releaseSponsors(
  uid: string,
  { store, write }: Pick<Connected, 'store' | 'write'>,
): Promise<void> {
  for (const owned of await sponsorsOwnedBy(store.db, uid)) await write(releaseSponsor, owned)
}

/**
 * Whether this pool manages the channels of the sponsor that its Secret names. Gives up an earlier sponsor
 * once that has no channels; throws `PoolBlocked` until then, since only its seed can merge them.
 */
export async function managesSponsor(
  pool: ChannelPool & KubeObject,
  { network, sponsor, store, write }: Connected,
): Promise<boolean> {
  const owned = await sponsorsOwnedBy(store.db, pool.metadata.uid)
  for (const other of owned) {
    if (other.network === network && other.sponsor === sponsor) continue
    const channels = await listPoolChannels(store.db, other)
    if (channels.some(({ state }) => state !== 'retired')) {
      throw new PoolBlocked(
        'SponsorChanged',
        `The Secret holds the seed of ${sponsor}, but the channels belong to ${other.sponsor}: put its ` +
          'seed back. To change the sponsor, empty the pool first (spec.channels: 0), then change the Secret.',
      )
    }
    await write(releaseSponsor, other)
  }
  return owned.some((each) => each.network === network && each.sponsor === sponsor)
}
