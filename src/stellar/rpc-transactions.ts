import type { CallRpc } from './json-rpc.ts'
import type { AppliedTransaction, FoundTransactions } from './rpc.ts'
import { readListed, transactionsAnswer } from './rpc-answers.ts'

/** The most `getTransactions` gives at once. */
const PAGE = 200
/** Bounds one look: some ledgers full of 1,000 transactions. What lies behind, the next look finds. */
const MAX_PAGES = 20

/**
 * Pages through what landed after `ledger`, until every wanted transaction is found or there is
 * nothing more. Most of what is read belongs to others, and is not decoded.
 */
export async function transactionsSince(
  call: CallRpc,
  ledger: number,
  wanted: ReadonlySet<string>,
  signal?: AbortSignal,
): Promise<FoundTransactions> {
  const found = new Map<string, AppliedTransaction>()
  const limit = { limit: PAGE }
  let params: Record<string, unknown> = { startLedger: ledger + 1, pagination: limit }
  for (let pages = 1; ; pages++) {
    const page = await call('getTransactions', params, transactionsAnswer, signal)
    const { transactions, range, cursor } = page
    for (const each of transactions) {
      if (wanted.has(each.txHash)) found.set(each.txHash, readListed(each, range))
    }
    const last = transactions.at(-1)
    if (!last || transactions.length < PAGE) {
      return { ...range, found, throughLedger: range.latestLedger }
    }
    if (found.size === wanted.size || pages === MAX_PAGES) {
      return { ...range, found, throughLedger: last.ledger - 1 }
    }
    params = { pagination: { ...limit, cursor } }
  }
}
