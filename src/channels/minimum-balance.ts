import type { AccountState } from '../stellar/rpc.ts'

/** What one ledger entry locks, in stroops: half an XLM since protocol 10, on both public networks. */
const BASE_RESERVE = 5_000_000n
/** An account counts for two entries. */
const ACCOUNT_ENTRIES = 2

/** What the account may not spend, in stroops (CAP-33, "Reserve requirement"). */
export const minimumBalance = ({
  subentries,
  sponsoring,
  sponsored,
  sellingLiabilities,
}: AccountState): bigint =>
  BigInt(ACCOUNT_ENTRIES + subentries + sponsoring - sponsored) * BASE_RESERVE + sellingLiabilities
