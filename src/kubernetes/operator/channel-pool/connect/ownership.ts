import {
  claimSponsor,
  OWNER_ALIVE_SECONDS,
  type OwnedSponsor,
  type PoolOwner,
  releaseSponsor,
  sponsorsOwnedBy,
} from '../../../../payments/store/pools/ownership.ts'
import { listPoolChannels } from '../../../../payments/store/pools/pool-channels.ts'
import { isNetworkId } from '../../../../platform/core/caip2.ts'
import { addressKind } from '../../../../stellar/accounts/strkey.ts'
import type { ChannelPool } from '../../../crd/channel-pool.ts'
import { annotations } from '../../../crd/names/marks.ts'
import { type KubeObject, keyOf } from '../../../runtime/objects/resource.ts'
import { PoolBlocked } from './blockers.ts'
import type { Connected } from './connect.ts'

/**
 * Records in the store that this pool manages the sponsor's channels. Throws `PoolBlocked` when another pool
 * does, or while this one still has channels of another sponsor.
 * @param beside the other sponsor of a rotation
 */
export async function takeSponsor(
  pool: ChannelPool & KubeObject,
  connected: Connected,
  beside?: string,
): Promise<void> {
  const { network, sponsor, write, election } = connected
  const { uid } = pool.metadata
  const owned = await ownedSponsor(pool, connected, beside)
  if (owned && owned.idleSeconds < CLAIM_AGAIN_SECONDS) return
  const name = keyOf(pool.metadata)
  const claim = { network, sponsor, uid, name }
  const owner = await write(claimSponsor, claim, election)
  if (owner.uid === uid) return
  if (owner.name === pool.metadata.annotations?.[annotations.takeOver]) {
    await write(releaseSponsor, owner)
    await write(claimSponsor, claim, election)
    return
  }
  throw new PoolBlocked(
    'Conflict',
    owner.name === name ? ownedElsewhere(owner) : ownedByAnother(owner),
  )
}

/** Each claim is a write; the store calls an owner alive for fifteen times as long. */
const CLAIM_AGAIN_SECONDS = 60

const ownedElsewhere = ({ name, sponsor, idleSeconds }: OwnedSponsor): string =>
  `A ChannelPool of the same name, ${name}, of another cluster manages the channels of sponsor ${sponsor}: it did so ${Math.round(idleSeconds)} s ago. ` +
  'Give this one another sponsor, or another database. If the other one is gone, this one takes the channels over ' +
  `${OWNER_ALIVE_SECONDS / 60} minutes after its last sign of life, or at once with the annotation ${annotations.takeOver}: ${name}.`

/** The advice about a sponsor that another pool manages. */
export const ownedByAnother = ({ name, sponsor }: Pick<PoolOwner, 'name' | 'sponsor'>): string =>
  `ChannelPool ${name} already manages the channels of sponsor ${sponsor}: ` +
  'delete one of the two, or give this one another sponsor. If that pool no longer exists, ' +
  `set the annotation ${annotations.takeOver}: ${name} on this one, which then takes them over.`

/**
 * Gives up every sponsor of a pool in the store; another pool may take them over. Whoever owns the database chooses their
 * number and how long each takes: it ends with the signal.
 */
export async function releaseSponsors(
  uid: string,
  { store, write, freed }: Pick<Connected, 'store' | 'write' | 'freed'>,
  signal: AbortSignal,
): Promise<void> {
  for (const owned of await ownedBy(store, uid)) {
    signal.throwIfAborted()
    await write(releaseSponsor, owned)
    freed(owned)
  }
}

/** Without rows that no operator wrote: what one names is released, kept in memory and shown. */
const ownedBy = async (
  { db }: Pick<Connected['store'], 'db'>,
  uid: string,
): Promise<readonly OwnedSponsor[]> =>
  (await sponsorsOwnedBy(db, uid)).filter(
    ({ network, sponsor }) => isNetworkId(network) && addressKind(sponsor) === 'account',
  )

/** Whether this pool manages the channels of the sponsor that its Secret names. Throws as `ownedSponsor` does. */
export const managesSponsor = async (...of: Parameters<typeof ownedSponsor>): Promise<boolean> =>
  (await ownedSponsor(...of)) !== undefined

/**
 * The sponsor that its Secret names, if this pool manages its channels. Gives up an earlier sponsor
 * once that has no channels; throws `PoolBlocked` until then, since only its seed can merge them.
 * @param beside the other sponsor of a rotation
 */
async function ownedSponsor(
  pool: ChannelPool & KubeObject,
  { network, sponsor, store, write, freed }: Connected,
  beside?: string,
): Promise<OwnedSponsor | undefined> {
  const owned = await ownedBy(store, pool.metadata.uid)
  for (const other of owned) {
    const isOfRotation = other.sponsor === sponsor || other.sponsor === beside
    if (other.network === network && isOfRotation) continue
    const channels = await listPoolChannels(store.db, other)
    if (channels.some(({ state }) => state !== 'retired')) {
      throw new PoolBlocked(
        'SponsorChanged',
        `The Secret holds the seed of ${sponsor}, but the channels belong to ${other.sponsor}: put its ` +
          'seed back. To move to another sponsor, put its seed into a second Secret and name that one in ' +
          'spec.sponsor.',
      )
    }
    await write(releaseSponsor, other)
    freed(other)
  }
  return owned.find((each) => each.network === network && each.sponsor === sponsor)
}
