import { asStroops, type Stroops } from '../../../platform/core/amounts/stroops.ts'
import { type NetworkId, variablePrefixes } from '../../../platform/core/caip2.ts'
import { readStoreId } from '../../../platform/database/identity.ts'
import { signerFromSecret } from '../../../stellar/accounts/signer.ts'
import type { AccountState } from '../../../stellar/rpc/rpc.ts'
import { CHANNELS_PER_ENVELOPE } from '../../../stellar/transactions/channel-envelopes.ts'
import { listChannels } from '../../store/channels/channel.ts'
import { authoritySigners } from '../authorities.ts'
import { channelSigner } from '../derive.ts'
import { type UnmergedChannels, unmergedBySponsor } from '../retire/unmerged-channels.ts'
import { readWithMark } from '../sponsor-mark.ts'
import { CHANNEL_RESERVE, OPERATIONS_PER_CHANNEL } from './affordable-channels.ts'
import { ProvisionFailure } from './create-channels.ts'
import { type ProvisionOptions, refuseMarked, requireFunds } from './provision.ts'

/** What creating the missing channels would do now. */
export interface ProvisionPlan {
  readonly sponsor: AccountState
  /** Channels on the ledger, of those that shall exist. */
  readonly existing: number
  readonly missing: number
  /** Settlement authorities of the scheme `upto` that are not on the ledger, `G...`; none where it is not served. */
  readonly missingAuthorities: readonly string[]
  /** What the ledger locks of the sponsor's balance for what is missing. */
  readonly locked: Stroops
  /** The most that their creation costs. */
  readonly fees: Stroops
  /** Sponsors with channels, when this one has none: the seed may be another than meant. */
  readonly others: readonly UnmergedChannels[]
}

type PlanOptions = Omit<ProvisionOptions, 'passphrase' | 'clock' | 'log' | 'onProgress'>

/** Reads what would be created. Throws `ProvisionFailure` when the sponsor does not exist, cannot pay or is marked by another store. */
export async function planProvision(options: PlanOptions): Promise<ProvisionPlan> {
  const { network, sponsorSecret, count, servesUpto, inclusionFee, store, rpc, signal } = options
  const { address } = signerFromSecret(sponsorSecret)
  const addresses = Array.from(
    { length: count },
    (_, index) => channelSigner(sponsorSecret, network, index).address,
  )
  const authorities = servesUpto
    ? authoritySigners(network, options).map((authority) => authority.address)
    : []
  const stored = store ? await listChannels(store.db, network) : []
  const { accounts, mark } = await readWithMark(
    rpc,
    address,
    [...addresses, ...authorities],
    signal,
  )
  // Without a store nothing is known of its identity: `provisionChannels` decides.
  if (store) refuseMarked(address, { mark, own: await readStoreId(store.db) })
  const sponsor = accounts.get(address)
  if (!sponsor) throw noSuchSponsor(network, address)
  const existing = addresses.filter((each) => accounts.has(each)).length
  const missing = count - existing
  const missingAuthorities = authorities.filter((each) => !accounts.has(each))
  const toCreate = missing + missingAuthorities.length
  await requireFunds(options, sponsor, {
    channels: missing,
    authorities: missingAuthorities.length,
  })
  const isNew = existing === 0 && !stored.some((channel) => channel.sponsor === address)
  // A transaction whose source is a channel has a fee bump, which counts as an operation.
  const operations = toCreate * OPERATIONS_PER_CHANNEL + Math.ceil(toCreate / CHANNELS_PER_ENVELOPE)
  return {
    sponsor,
    existing,
    missing,
    missingAuthorities,
    locked: asStroops(BigInt(toCreate) * CHANNEL_RESERVE),
    fees: asStroops(BigInt(operations) * inclusionFee),
    others: isNew ? unmergedBySponsor(stored) : [],
  }
}

const noSuchSponsor = (network: NetworkId, address: string) =>
  new ProvisionFailure(
    `sponsor ${address}, the account of ${variablePrefixes[network]}SPONSOR_SECRET, does not exist on ${network}: ` +
      'send it XLM, or set the seed of the sponsor that you mean',
  )
