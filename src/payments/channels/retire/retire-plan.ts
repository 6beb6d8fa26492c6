import { asStroops, type Stroops } from '../../../platform/core/amounts/stroops.ts'
import type { NetworkId } from '../../../platform/core/caip2.ts'
import type { Store } from '../../../platform/database/open.ts'
import type { AccountState, StellarRpc } from '../../../stellar/rpc/rpc.ts'
import { listChannels } from '../../store/channels/channel.ts'
import { authoritySigners } from '../authorities.ts'
import { readFacts } from '../converge/facts.ts'
import { CHANNEL_RESERVE, MARK_RESERVE } from '../create/affordable-channels.ts'
import type { OtherSponsor, SponsorKeys } from '../sponsor-keys.ts'
import { anotherSponsor, noSuchSponsor } from './retire-refusal.ts'
import { type UnmergedChannels, unmergedBySponsor } from './unmerged-channels.ts'

export interface RetirePlanOptions {
  readonly network: NetworkId
  /** Of the sponsor, which pays the fees and gets the reserves back. */
  readonly keys: SponsorKeys
  /** The sponsor before: its settlement authority is merged too. */
  readonly previousSponsor?: OtherSponsor | undefined
  /** Merges channels 0 to count - 1, and every other channel that the store has of this sponsor. */
  readonly count: number
  /** Bid per operation. */
  readonly inclusionFee: Stroops
  readonly rpc: StellarRpc
  /** Absent: the caller guarantees that no settlement is in progress. */
  readonly store: Store | undefined
  readonly signal: AbortSignal
}

/** The effect of a retirement now. */
export interface RetirePlan {
  readonly sponsor: AccountState
  /** Channels on the ledger, which would be merged. */
  readonly channels: number
  /** Settlement authorities on the ledger, `G...`, which would be merged after the channels. */
  readonly authorities: readonly string[]
  /** The sum that the sponsor can spend afterwards and cannot now: the reserves, and XLM that was sent to an account. */
  readonly returned: Stroops
  /** The most that all merges cost. */
  readonly fees: Stroops
  /** Other sponsors with channels that are not merged. */
  readonly others: readonly UnmergedChannels[]
}

/**
 * Reads what a retirement would merge. Throws `RetireRefusal` for a seed whose account the ledger does not have,
 * and for one that has no channels while the store has those of another sponsor.
 */
export async function planRetirement(options: RetirePlanOptions): Promise<RetirePlan> {
  const { network, store, count, inclusionFee } = options
  const { address } = options.keys
  const stored = store ? await listChannels(store.db, network) : []
  const derived = authoritySigners(network, options).map((authority) => authority.address)
  const query = { ...options, desired: 0, reach: count, authorities: derived }
  const facts = await readFacts(query, options)
  const { sponsor, mark } = facts
  if (!sponsor) throw noSuchSponsor({ network, sponsor: address })
  const channels = [...facts.accounts.values()]
  const authorities = facts.authorities.flatMap(({ account }) => account ?? [])
  const merged = [...channels, ...authorities]
  const others = unmergedBySponsor(stored.filter((channel) => channel.sponsor !== address))
  const isKnown = stored.some((channel) => channel.sponsor === address)
  if (!isKnown && merged.length === 0 && others.length > 0) {
    throw anotherSponsor({ network, sponsor: address }, others)
  }
  const reserves =
    BigInt(merged.length) * CHANNEL_RESERVE + (mark === undefined ? 0n : MARK_RESERVE)
  return {
    sponsor,
    channels: channels.length,
    authorities: authorities.map((authority) => authority.address),
    returned: asStroops(merged.reduce((sum, { balance }) => sum + balance, reserves)),
    fees: asStroops(BigInt(merged.length) * inclusionFee),
    others,
  }
}
