/**
 * Reserves of entries (CAP-33): between begin and end of a sponsorship the sponsor pays, otherwise the
 * owner. These functions change the accounts in place; the caller stores them.
 */
import type { Account } from './account.ts'
import { availableBalance, BASE_RESERVE } from './reserves.ts'

/** stellar-core's limit since protocol 11. */
const MAX_SUBENTRIES = 1_000
const MAX_UINT32 = 0xffff_ffff

export type ReserveProblem = 'lowReserve' | 'tooManySubentries' | 'tooManySponsoring'

/** Reserves of an entry: two for an account, one for a trustline (two for a pool share). */
export interface EntryCost {
  readonly reserves: 1 | 2
  /** False for accounts, which are no subentries. */
  readonly subEntry: boolean
}

/**
 * Charges a new entry to its sponsor or, without one, to its owner. For a new account `owner` is the
 * account itself, with its starting balance.
 */
export function chargeReserve(
  cost: EntryCost,
  owner: Account,
  sponsor: Account | undefined,
): ReserveProblem | undefined {
  if (cost.subEntry && owner.subEntries > MAX_SUBENTRIES - cost.reserves) return 'tooManySubentries'
  const price = BigInt(cost.reserves) * BASE_RESERVE
  // The minimum balance of a new account already contains its reserve.
  const free = sponsor ? availableBalance(sponsor) : availableBalance(owner)
  if (free < (sponsor || cost.subEntry ? price : 0n)) return 'lowReserve'
  if (sponsor && sponsorsTooMany(sponsor, cost.reserves)) return 'tooManySponsoring'
  if (cost.subEntry) owner.subEntries += cost.reserves
  if (sponsor) {
    sponsor.sponsoring += cost.reserves
    owner.sponsored += cost.reserves
  }
  return undefined
}

/** Returns the reserve of a removed entry to its sponsor or owner. */
export function releaseReserve(
  cost: EntryCost,
  owner: Account | undefined,
  sponsor: Account | undefined,
): void {
  if (cost.subEntry && owner) owner.subEntries -= cost.reserves
  if (!sponsor) return
  sponsor.sponsoring -= cost.reserves
  if (owner) owner.sponsored -= cost.reserves
}

/** `from` pays the reserve now, `to` will pay it; undefined stands for the owner. */
interface ReserveTransfer {
  readonly reserves: EntryCost['reserves']
  readonly owner: Account
  readonly from: Account | undefined
  readonly to: Account | undefined
}

/** Transfers the reserve of an entry to a sponsor, between sponsors, or back to the owner. */
export function transferReserve({
  reserves,
  owner,
  from,
  to,
}: ReserveTransfer): Exclude<ReserveProblem, 'tooManySubentries'> | undefined {
  const payer = to ?? (from && owner)
  if (payer && availableBalance(payer) < BigInt(reserves) * BASE_RESERVE) return 'lowReserve'
  if (to && sponsorsTooMany(to, reserves)) return 'tooManySponsoring'
  if (from) from.sponsoring -= reserves
  if (to) to.sponsoring += reserves
  if (from && !to) owner.sponsored -= reserves
  if (to && !from) owner.sponsored += reserves
  return undefined
}

const sponsorsTooMany = ({ sponsoring, subEntries }: Account, more: number): boolean =>
  sponsoring + subEntries + more > MAX_UINT32
