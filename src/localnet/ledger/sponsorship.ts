/**
 * Who pays the reserve of an entry (CAP-33). Between begin and end of a sponsorship the sponsor
 * does; else the owner. Pure bookkeeping: accounts are changed in place, the caller stores them.
 */
import type { Account } from './account.ts'
import { availableBalance, BASE_RESERVE } from './reserves.ts'

/** The most subentries an account may own, stellar-core's limit since protocol 11. */
const MAX_SUBENTRIES = 1_000
const MAX_UINT32 = 0xffff_ffff

export type ReserveProblem = 'lowReserve' | 'tooManySubentries' | 'tooManySponsoring'

/** Reserves an entry takes up: an account two, a trustline one (a pool share two). */
export interface EntryCost {
  readonly reserves: 1 | 2
  /** Whether the owner counts it among its subentries; accounts themselves are not counted. */
  readonly subEntry: boolean
}

/**
 * Charges a new entry to its sponsor, or to its owner where there is none. For a new account `owner`
 * is that account itself, with its starting balance.
 */
export function chargeReserve(
  cost: EntryCost,
  owner: Account,
  sponsor: Account | undefined,
): ReserveProblem | undefined {
  if (cost.subEntry && owner.subEntries > MAX_SUBENTRIES - cost.reserves) return 'tooManySubentries'
  const price = BigInt(cost.reserves) * BASE_RESERVE
  // A new account's own minimum balance holds its reserve already.
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

/** Gives a removed entry's reserve back to whoever held it. */
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

/** Who is to hold the reserve of an entry that is there already, and who holds it now; undefined is its owner. */
interface Handover {
  readonly reserves: EntryCost['reserves']
  readonly owner: Account
  readonly from: Account | undefined
  readonly to: Account | undefined
}

/** Moves the reserve of an entry: to a sponsor, from one to another, or back to its owner. */
export function transferReserve({
  reserves,
  owner,
  from,
  to,
}: Handover): Exclude<ReserveProblem, 'tooManySubentries'> | undefined {
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
