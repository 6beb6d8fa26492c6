/** What an account must hold and may spend of the native asset. */
import type { Account } from './account.ts'
import { MAX_INT64 } from './trustline.ts'

/** Stroops a ledger entry reserves: 0.5 XLM on testnet and pubnet alike. */
export const BASE_RESERVE = 5_000_000n

/** CAP-33: (2 + subentries + sponsoring - sponsored) base reserves. */
export const minimumBalance = (account: Account): bigint =>
  BigInt(2 + account.subEntries + account.sponsoring - account.sponsored) * BASE_RESERVE

/** What may be spent: above the minimum balance and what is promised to offers (CAP-3). */
export const availableBalance = (account: Account): bigint =>
  account.balance - minimumBalance(account) - account.liabilities.selling

/** What may still be received below the largest int64 and what offers may bring. */
export const maxReceivable = (account: Account): bigint =>
  MAX_INT64 - account.balance - account.liabilities.buying
