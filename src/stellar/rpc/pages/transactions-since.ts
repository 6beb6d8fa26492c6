import type { AppliedTransaction, FoundTransactions } from '../rpc.ts'
import { readApplied, transactionsAnswer } from '../rpc-answers.ts'
import type { CallRpc } from '../transport/json-rpc.ts'
import type { PageStart } from './transaction-position.ts'

/** Page limit of `getTransactions`. */
const PAGE_SIZE = 200

/** `transactionsSince` of one endpoint. Only matching transactions are decoded. */
export async function transactionsSince(
  call: CallRpc,
  start: PageStart,
  hashes: ReadonlySet<string>,
  signal?: AbortSignal,
): Promise<FoundTransactions> {
  const limit = { limit: PAGE_SIZE }
  const params =
    'cursor' in start
      ? { pagination: { ...limit, cursor: start.cursor } }
      : { startLedger: start.startLedger, pagination: limit }
  const page = await call('getTransactions', params, transactionsAnswer, signal)
  const { transactions, range, cursor } = page
  const found = new Map<string, AppliedTransaction>()
  for (const each of transactions) {
    if (hashes.has(each.txHash)) found.set(each.txHash, readApplied(each, range))
  }
  const last = transactions.at(-1)
  return last && transactions.length === PAGE_SIZE
    ? { ...range, found, throughLedger: last.ledger - 1, next: { cursor } }
    : { ...range, found, throughLedger: range.latestLedger }
}
