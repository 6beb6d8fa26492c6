import { messageOf } from '../../../../diagnosis/problems/problem.ts'
import { missingSponsor } from '../../../../diagnosis/problems/sponsor.ts'
import { authoritySigner, channelSigner } from '../../../../payments/channels/derive.ts'
import { readWithMark } from '../../../../payments/channels/sponsor-mark.ts'
import {
  listPoolChannels,
  type PoolChannel,
} from '../../../../payments/store/pools/pool-channels.ts'
import { readHourStats } from '../../../../payments/store/settlements/hour-stats.ts'
import { readPromisedFees } from '../../../../payments/store/settlements/promised-fees.ts'
import type { Stroops } from '../../../../platform/core/amounts/stroops.ts'
import type { NetworkId } from '../../../../platform/core/caip2.ts'
import { signerFromSecret } from '../../../../stellar/accounts/signer.ts'
import type { AccountState, StellarRpc } from '../../../../stellar/rpc/rpc.ts'
import { MAX_CHANNELS } from '../../../crd/channel-pool/spec.ts'
import { PoolBlocked } from '../connect/blockers.ts'
import type { Connected } from '../connect/connect.ts'

/** A pool in the store and on the ledger. */
export interface ObservedPool {
  /** From the store, retired ones included. */
  readonly channels: readonly PoolChannel[]
  /** The channel accounts that are on the ledger, by index. */
  readonly accounts: ReadonlyMap<number, AccountState>
  /** The account of the sponsor's settlement authority; undefined when the ledger has none. */
  readonly authority: AccountState | undefined
  readonly sponsor: AccountState
  /** The id of the store that manages the sponsor's channels, as the ledger says; undefined when no store does. */
  readonly mark: string | undefined
  /** Maximum fees of the sponsor's settlements under way, all replicas together. */
  readonly promisedFees: Stroops
  /** Fees of the sponsor's settlements of the last hour, all replicas together. */
  readonly spentLastHour: Stroops
}

/** Reads the store, then the ledger. Throws `PoolBlocked` without a sponsor, `RpcError` or a store error. */
export async function observePool(
  { network, sponsor: address, sponsorSecret, store, rpc }: Connected,
  desired: number,
  signal: AbortSignal,
): Promise<ObservedPool> {
  const [channels, lastHour, promisedFees] = await Promise.all([
    listPoolChannels(store.db, { network, sponsor: address }),
    readHourStats(store.db, network, address),
    readPromisedFees(store.db, { network, sponsor: address }),
  ])
  const query = { network, sponsorSecret, desired, channels }
  const { sponsor, accounts, authority, mark } = await readLedger(rpc, query, signal)
  if (!sponsor) {
    throw new PoolBlocked('SponsorMissing', messageOf(missingSponsor(address)))
  }
  const spentLastHour = lastHour.committed
  return { channels, accounts, authority, sponsor, mark, promisedFees, spentLastHour }
}

interface LedgerQuery {
  readonly network: NetworkId
  readonly sponsorSecret: string
  readonly desired: number
  readonly channels: readonly PoolChannel[]
}

interface LedgerAccounts {
  /** Undefined when the ledger has no such account. */
  readonly sponsor: AccountState | undefined
  /** Likewise. */
  readonly authority: AccountState | undefined
  readonly accounts: ReadonlyMap<number, AccountState>
  readonly mark: string | undefined
}

/**
 * Reads the sponsor with its mark, its settlement authority and the channel accounts that a plan needs. A sponsor that sponsors more entries than
 * the accounts found explain has channels of an earlier pool: then all indices are read. Throws `RpcError`.
 */
export async function readLedger(
  rpc: StellarRpc,
  { network, sponsorSecret, desired, channels }: LedgerQuery,
  signal: AbortSignal,
): Promise<LedgerAccounts> {
  const address = signerFromSecret(sponsorSecret).address
  const known = new Map(channels.map(({ index, account }) => [index, account]))
  const accountOf = (index: number) =>
    known.get(index) ?? channelSigner(sponsorSecret, network, index).address
  const authorityAddress = authoritySigner(sponsorSecret, network).address
  const read = async (indices: readonly number[]) => {
    const addresses = indices.map(accountOf)
    const listed = [authorityAddress, ...addresses]
    const { accounts: found, mark } = await readWithMark(rpc, address, listed, signal)
    const accounts = new Map<number, AccountState>()
    for (const [at, index] of indices.entries()) {
      const account = found.get(addresses[at] ?? '')
      if (account) accounts.set(index, account)
    }
    return { sponsor: found.get(address), authority: found.get(authorityAddress), accounts, mark }
  }
  const result = await read(indicesToLookUp(desired, channels))
  if (!result.sponsor || !mayHaveMoreChannels(result.sponsor, result)) return result
  return read([...new Set([...known.keys(), ...Array.from({ length: MAX_CHANNELS }, (_, i) => i)])])
}

/** Each account has two base reserves, which the sponsor pays (CAP-33). */
const SPONSORED_PER_ACCOUNT = 2

/** Indices of the channels that the store has, and of those that a plan may need next. */
export function indicesToLookUp(desired: number, channels: readonly PoolChannel[]): number[] {
  const known = channels.map(({ index }) => index)
  const lowest = Array.from(
    { length: desired + channels.filter(isUnusable).length + 1 },
    (_, i) => i,
  )
  return [...new Set([...known, ...lowest])].sort((one, other) => one - other)
}

/** Whether the sponsor sponsors more entries than the accounts found explain. */
export const mayHaveMoreChannels = (
  sponsor: Pick<AccountState, 'sponsoring'>,
  { accounts, authority }: Pick<LedgerAccounts, 'accounts' | 'authority'>,
): boolean => sponsor.sponsoring > (accounts.size + (authority ? 1 : 0)) * SPONSORED_PER_ACCOUNT

/** Quarantined, or held by a settlement that only an administrator can resolve. */
export const isUnusable = ({ state, heldBy }: PoolChannel): boolean =>
  state === 'quarantined' || heldBy !== undefined
