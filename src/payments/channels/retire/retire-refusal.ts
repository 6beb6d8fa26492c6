import { type NetworkId, variablePrefixes } from '../../../platform/core/caip2.ts'
import { readStoreId } from '../../../platform/database/identity.ts'
import type { Store } from '../../../platform/database/open.ts'
import type { Db } from '../../../platform/database/schema.ts'
import type { StellarRpc } from '../../../stellar/rpc/rpc.ts'
import { listLiveReplicas, type ServedSponsor } from '../../store/replica-heartbeats.ts'
import { markedByAnother, readWithMark } from '../sponsor-mark.ts'
import { storeHas, type UnmergedChannels } from './unmerged-channels.ts'

/** Channels of the network are in use, or the seed is not that of their sponsor; nothing more is changed. */
export class RetireRefusal extends Error {
  override readonly name = 'RetireRefusal'
}

/** Throws `RetireRefusal` while a process serves the network, or, where pools share the network, this sponsor. */
export async function refuseBesideService(db: Db, served: ServedSponsor): Promise<void> {
  const replicas = await listLiveReplicas(db, served)
  if (replicas.length === 0) return
  const named = replicas.map(
    ({ host, ageSeconds }) => `${host} (last heartbeat ${ageSeconds} s ago)`,
  )
  throw new RetireRefusal(
    `${served.network} is served by ${named.join(', ')}: stop the service first. ` +
      'A replica that was killed counts for 30 s after its last heartbeat; --force merges the channels nevertheless',
  )
}

interface LedgerAndStore {
  readonly rpc: Pick<StellarRpc, 'ledgerEntries'>
  readonly store: Pick<Store, 'db'> | undefined
  readonly signal: AbortSignal
}

/** Throws `RetireRefusal` when the ledger says that the operator of another store manages the sponsor's channels. */
export async function refuseMarkedByAnother(
  { sponsor }: Pick<ServedSponsor, 'sponsor'>,
  { rpc, store, signal }: LedgerAndStore,
): Promise<void> {
  const { mark } = await readWithMark(rpc, sponsor, [], signal)
  if (mark === undefined) return
  const own = store && (await readStoreId(store.db))
  if (mark === own) return
  throw new RetireRefusal(
    `${markedByAnother(sponsor, { mark, own })}: set DATABASE_URL to the database of that store; --force merges the channels nevertheless`,
  )
}

const secretOf = (network: NetworkId): string => `${variablePrefixes[network]}SPONSOR_SECRET`

/** The ledger has no account of this seed. */
export const noSuchSponsor = ({ network, sponsor }: ServedSponsor): RetireRefusal =>
  new RetireRefusal(
    `sponsor ${sponsor}, the account of ${secretOf(network)}, does not exist on ${network}: ` +
      'set the seed of the sponsor whose channels are to be merged',
  )

/** The account exists and has no channels; the store has those of others. */
export const anotherSponsor = (
  { network, sponsor }: ServedSponsor,
  others: readonly UnmergedChannels[],
): RetireRefusal =>
  new RetireRefusal(
    `sponsor ${sponsor}, the account of ${secretOf(network)}, has no channels on ${network}, ` +
      `but ${storeHas(others)} to merge: set the seed of the sponsor whose channels are to be merged`,
  )
