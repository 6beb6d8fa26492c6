import type { AppliedTransaction, FoundTransactions } from '../rpc.ts'
import { readApplied, transactionsAnswer } from '../rpc-answers.ts'
import type { CallRpc } from '../transport/json-rpc.ts'

/** Page limit of `getTransactions`. */
const PAGE_SIZE = 200
/** Bounds one search to a few ledgers of 1,000 transactions; the next search continues from there. */
const MAX_PAGES = 20

/**
 * Pages through the transactions after `ledger` until every hash is found or there are no more. Only
 * matching transactions are decoded.
 */
export async function transactionsSince(
  call: CallRpc,
  ledger: number,
  hashes: ReadonlySet<string>,
  signal?: AbortSignal,
): Promise<FoundTransactions> {
  const found = new Map<string, AppliedTransaction>()
  const limit = { limit: PAGE_SIZE }
  let params: Record<string, unknown> = { startLedger: ledger + 1, pagination: limit }
  for (let pages = 1; ; pages++) {
    const page = await call('getTransactions', params, transactionsAnswer, signal)
    const { transactions, range, cursor } = page
    for (const each of transactions) {
      if (hashes.has(each.txHash)) found.set(each.txHash, readApplied(each, range))
    }
    const last = transactions.at(-1)
    if (!last || transactions.length < PAGE_SIZE) {
      return { ...range, found, throughLedger: range.latestLedger }
    }
    if (found.size === hashes.size || pages === MAX_PAGES) {
      return { ...range, found, throughLedger: last.ledger - 1 }
    }
    params = { pagination: { ...limit, cursor } }
  }
}
