/** Minimum and available XLM balance of an account. */
import type { Account } from './account.ts'
import { MAX_INT64 } from './trustline.ts'

/** In stroops: 0.5 XLM, as on testnet and pubnet. */
export const BASE_RESERVE = 5_000_000n

/** CAP-33: (2 + subentries + sponsoring - sponsored) base reserves. */
export const minimumBalance = (account: Account): bigint =>
  BigInt(2 + account.subEntries + account.sponsoring - account.sponsored) * BASE_RESERVE

/** The balance above the minimum and the selling liabilities (CAP-3). */
export const availableBalance = (account: Account): bigint =>
  account.balance - minimumBalance(account) - account.liabilities.selling

/** Up to the largest int64, less the buying liabilities. */
export const maxReceivable = (account: Account): bigint =>
  MAX_INT64 - account.balance - account.liabilities.buying
