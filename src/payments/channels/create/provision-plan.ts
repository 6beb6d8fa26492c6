import { asStroops, type Stroops } from '../../../platform/core/amounts/stroops.ts'
import { type NetworkId, variablePrefixes } from '../../../platform/core/caip2.ts'
import type { AccountState } from '../../../stellar/rpc/rpc.ts'
import { CHANNELS_PER_ENVELOPE } from '../../../stellar/transactions/channel-envelopes.ts'
import { listChannels } from '../../store/channels/channel.ts'
import { authoritySigners } from '../authorities.ts'
import { readFacts } from '../converge/facts.ts'
import { planPool } from '../converge/plan.ts'
import { type UnmergedChannels, unmergedBySponsor } from '../retire/unmerged-channels.ts'
import { CHANNEL_RESERVE, OPERATIONS_PER_CHANNEL, shortfall } from './affordable-channels.ts'
import { ProvisionFailure } from './create-channels.ts'
import { type ProvisionOptions, refuseMarked } from './provision.ts'

/** The effect of creating the missing channels now. */
export interface ProvisionPlan {
  readonly sponsor: AccountState
  /** Channels on the ledger, of those that shall exist. */
  readonly existing: number
  readonly missing: number
  /** Settlement authorities of the scheme `upto` that are not on the ledger, `G...`; none where it is not served. */
  readonly missingAuthorities: readonly string[]
  /** The part of the sponsor's balance that the ledger locks for what is missing. */
  readonly locked: Stroops
  /** The most that their creation costs. */
  readonly fees: Stroops
  /** Sponsors with channels, when this one has none: the seed may be another than meant. */
  readonly others: readonly UnmergedChannels[]
}

type PlanOptions = Omit<ProvisionOptions, 'clock' | 'log' | 'onProgress'>

/** Reads what would be created. Throws `ProvisionFailure` when the sponsor does not exist, cannot pay or is marked by another store. */
export async function planProvision(options: PlanOptions): Promise<ProvisionPlan> {
  const { network, count, servesUpto, inclusionFee, store } = options
  const { address } = options.keys
  const authorities = servesUpto ? authoritySigners(network, options) : []
  const stored = store ? await listChannels(store.db, network) : []
  const query = {
    ...options,
    desired: count,
    authorities: authorities.map((authority) => authority.address),
  }
  const facts = await readFacts(query, options)
  const { sponsor, mark, storeId, promisedFees: promised } = facts
  // Without a store nothing is known of its identity: `provisionChannels` decides.
  if (store) refuseMarked(address, { mark, own: storeId })
  if (!sponsor) throw noSuchSponsor(network, address)
  const { create, createAuthorities } = planPool({ ...query, ...facts, purpose: 'grow' })
  const missing = create.length
  const entries = { channels: missing, authorities: createAuthorities.length }
  const toCreate = missing + createAuthorities.length
  const lacks = shortfall(sponsor, entries, {
    floor: options.keepSpendable,
    promised,
    inclusionFee,
  })
  if (lacks !== undefined) throw new ProvisionFailure(`${lacks} on ${network}`)
  const existing = count - missing
  const isNew = existing === 0 && !stored.some((channel) => channel.sponsor === address)
  // A transaction whose source is a channel has a fee bump, which counts as an operation.
  const operations = toCreate * OPERATIONS_PER_CHANNEL + Math.ceil(toCreate / CHANNELS_PER_ENVELOPE)
  return {
    sponsor,
    existing,
    missing,
    missingAuthorities: createAuthorities,
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
