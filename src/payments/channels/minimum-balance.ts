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
