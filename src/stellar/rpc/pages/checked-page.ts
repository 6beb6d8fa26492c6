import { type LedgerRange, RpcError } from '../rpc.ts'
import { hasHash } from './envelope-hash.ts'
import type { RawTransaction, TransactionsPage } from './transaction-pages.ts'
import { cursorAfter, type TransactionPosition } from './transaction-position.ts'

export interface AnsweredPage {
  readonly from: TransactionPosition
  readonly limit: number
  readonly transactions: readonly RawTransaction[]
  /** The endpoint's own cursor. */
  readonly end: TransactionPosition
  readonly range: LedgerRange
}

/**
 * A page of `getTransactions` whose transactions follow its start and each other without a gap. Throws `RpcError` of kind
 * `unreadable` when the page contradicts itself, and `not_retained` when it begins later than asked.
 */
export function checkedPage(page: AnsweredPage): TransactionsPage {
  const { from, transactions, range } = page
  checkRange(page)
  checkSequence(page)
  const last: TransactionPosition = transactions.at(-1) ?? from
  const isFull = transactions.length === page.limit
  const isAtEnd = !isFull && page.end.ledger === range.latestLedger
  const listed = last.ledger === page.end.ledger ? last.applicationOrder : 0
  // After a start beyond the latest ledger, the cursor is that of the latest ledger.
  if (!isFull && from.ledger <= page.end.ledger && page.end.applicationOrder > listed) {
    throw contradiction(`it lists nothing up to its cursor, ${place(page.end)}`)
  }
  const common = { transactions, ...range }
  if (isAtEnd && from.ledger <= range.latestLedger) {
    const next = { ledger: range.latestLedger + 1, applicationOrder: 0 }
    return { ...common, cursor: cursorAfter(next), completeThrough: range.latestLedger }
  }
  const isFarther = !isFull && page.end.ledger > last.ledger
  const next = isFarther ? { ledger: page.end.ledger, applicationOrder: 0 } : last
  if (transactions.length === 0 && next === from && from.ledger <= range.latestLedger) {
    throw contradiction(
      `nothing after ${place(from)}, though its latest ledger is ${range.latestLedger}`,
    )
  }
  return { ...common, cursor: cursorAfter(next), completeThrough: next.ledger - 1 }
}

function checkRange({ from, transactions: [first], end, range }: AnsweredPage): void {
  const { oldestLedger, latestLedger } = range
  if (oldestLedger > latestLedger) {
    throw contradiction(`the oldest ledger ${oldestLedger} is after the latest one ${latestLedger}`)
  }
  if (end.ledger > latestLedger) {
    throw contradiction(`its cursor is after its latest ledger ${latestLedger}`)
  }
  // Transactions of older ledgers come from an archive behind the endpoint.
  if (from.ledger < oldestLedger && (first?.ledger ?? oldestLedger) >= oldestLedger) {
    throw notRetained(from.ledger, oldestLedger)
  }
}

function checkSequence({ from, limit, transactions, range }: AnsweredPage): void {
  if (transactions.length > limit) throw contradiction(`more than ${limit} transactions`)
  let last: TransactionPosition & { readonly createdAt?: number } = from
  for (const next of transactions) {
    if (!follows(last, next)) throw contradiction(`${place(next)} does not follow ${place(last)}`)
    last = next
  }
  if (last !== from && last.ledger > range.latestLedger) {
    throw contradiction(`${place(last)} is after its latest ledger ${range.latestLedger}`)
  }
  if (last.createdAt !== undefined && last.createdAt > range.latestCloseTime) {
    throw contradiction(`${place(last)} closed later than its latest ledger`)
  }
}

function follows(
  last: TransactionPosition & { readonly createdAt?: number },
  next: RawTransaction,
): boolean {
  const { createdAt = next.createdAt } = last
  if (next.ledger === last.ledger) {
    return next.applicationOrder === last.applicationOrder + 1 && next.createdAt === createdAt
  }
  return next.ledger > last.ledger && next.applicationOrder === 1 && next.createdAt >= createdAt
}

/**
 * The page, if each of its transactions has the hash of its envelope on the network of this passphrase. Throws `RpcError`
 * of kind `unreadable` otherwise.
 */
export function withTrueHashes(page: TransactionsPage, passphrase: string): TransactionsPage {
  for (const transaction of page.transactions) {
    const bytes = Buffer.from(String(transaction.raw['envelopeXdr']), 'base64')
    if (hasHash(bytes, transaction.txHash, passphrase)) continue
    throw contradiction(`${place(transaction)} has not the hash ${transaction.txHash}`)
  }
  return page
}

/** A test network whose ledgers are closed by hand may be ahead of the clock, and a clock may be somewhat wrong. */
const MAX_AHEAD_SECONDS = 3_600

/**
 * The page, unless its latest ledger closes in the future. A reader that follows the ledgers of such a page would take every
 * honest endpoint for one that lags until that time has come. Throws `RpcError` of kind `unreadable`.
 * @param now Unix milliseconds
 */
export function withPastCloseTimes(page: TransactionsPage, now: number): TransactionsPage {
  const ahead = Math.floor(page.latestCloseTime - now / 1_000)
  if (ahead <= MAX_AHEAD_SECONDS) return page
  throw contradiction(`its latest ledger closes ${ahead} s after now by the clock of this process`)
}

const place = ({ ledger, applicationOrder }: TransactionPosition): string =>
  `transaction ${applicationOrder} of ledger ${ledger}`

const contradiction = (what: string): RpcError =>
  new RpcError('unreadable', 'getTransactions', `the page contradicts itself: ${what}`)

export const notRetained = (ledger: number, oldest: number, cause?: unknown): RpcError => {
  const message = `ledger ${ledger} is not retained, the oldest is ${oldest}`
  return new RpcError('not_retained', 'getTransactions', message, { cause })
}
