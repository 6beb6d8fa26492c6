import { asStroops, type Stroops } from '../../platform/core/amounts/stroops.ts'
import type { AccountState } from '../../stellar/rpc/rpc.ts'

/** The reserve of one ledger entry, in stroops: half an XLM since protocol 10, on both public networks. */
export const BASE_RESERVE = 5_000_000n
/** An account counts as two entries. */
const ACCOUNT_ENTRIES = 2

/** The part of its balance that an account cannot spend, in stroops (CAP-33, "Reserve requirement"). */
export const minimumBalance = ({
  subentries,
  sponsoring,
  sponsored,
  sellingLiabilities,
}: AccountState): bigint =>
  BigInt(ACCOUNT_ENTRIES + subentries + sponsoring - sponsored) * BASE_RESERVE + sellingLiabilities

/** The part of its balance that is not locked, in stroops; negative when the account has too little. */
export const unlockedBalance = (account: AccountState): bigint =>
  account.balance - minimumBalance(account)

/** The balance of an account, and the parts of it that are not for new payments. */
export interface Funds {
  /** The whole balance. */
  readonly stroops: Stroops
  /** Locked as reserves, of a sponsor mostly of its channels, and in open offers. */
  readonly locked: Stroops
  /** The maximum fees of settlements under way, and fees charged since the balance was read. */
  readonly promised: Stroops
}

/** @param promised see `readPromisedFees`; nothing for an account that pays no settlements */
export const fundsOf = (account: AccountState, promised = 0n): Funds => ({
  stroops: account.balance,
  locked: asStroops(minimumBalance(account)),
  promised: asStroops(promised),
})

/** The XLM left for further payments: the one figure that everything calls spendable. Negative when more is locked or promised. */
export const spendableOf = ({ stroops, locked, promised }: Funds): Stroops =>
  asStroops(stroops - locked - promised)
