import type {
  RawTransaction,
  TransactionPages,
  TransactionsPage,
} from '../../stellar/rpc/pages/transaction-pages.ts'
import {
  cursorAfter,
  readCursor,
  type TransactionPosition,
} from '../../stellar/rpc/pages/transaction-position.ts'
import type { LedgerRange } from '../../stellar/rpc/rpc.ts'
import type { ObservedPayment } from '../observed-payment.ts'

/** Whole ledgers, as one or more pages have shown them. */
export interface ReadLedgers {
  /** Every transaction up to the end of this ledger has been listed. */
  readonly through: number
  /** When that ledger closed, in Unix seconds; never earlier than it did. */
  readonly closedAt: number
  /** All payments in ledgers up to `through`. */
  readonly payments: readonly ObservedPayment[]
  /** Whether the endpoint has no later ledgers. */
  readonly isAtEnd: boolean
}

export interface LedgerReaderOptions {
  readonly rpc: TransactionPages
  readonly pageSize: number
  /**
   * A page at the end of the history may have been cut short where its last ledgers have no transactions. Up to this many
   * of them are believed at once, others when the next page, which begins before them, lists nothing either.
   */
  readonly believedLedgers: number
  readonly observe: (transactions: readonly RawTransaction[]) => Promise<readonly ObservedPayment[]>
}

const LAST_LEDGER = 2 ** 31 - 1

/** The ledgers that the network retains, from a page that begins after all of them. */
export const readRange = (rpc: TransactionPages, signal: AbortSignal): Promise<LedgerRange> =>
  rpc.transactionsPage({ startLedger: LAST_LEDGER }, 1, signal)

/**
 * Reads all transactions from a position on. Each page begins after the last transaction that was listed, not where the
 * page before says that it ended: a page that was cut short, or that claims ledgers which do not exist yet, is thus
 * corrected by the next one.
 */
export class LedgerReader {
  readonly #options: LedgerReaderOptions
  #position: TransactionPosition
  /** Payments of a ledger that is not complete yet. */
  #held: readonly ObservedPayment[] = []

  constructor(options: LedgerReaderOptions, firstLedger: number) {
    this.#options = options
    // A young network has fewer ledgers than a reader goes back.
    this.#position = { ledger: Math.max(1, firstLedger), applicationOrder: 0 }
  }

  /** The ledger in which the next page begins. */
  get ledger(): number {
    return this.#position.ledger
  }

  /** Goes on no earlier than with this ledger, so that a network without transactions does not leave it behind. */
  skipTo(ledger: number): void {
    if (this.#position.ledger < ledger) this.#position = { ledger, applicationOrder: 0 }
  }

  fetch(signal: AbortSignal): Promise<TransactionsPage> {
    const { rpc, pageSize } = this.#options
    return rpc.transactionsPage({ cursor: cursorAfter(this.#position) }, pageSize, signal)
  }

  /** Takes the payments out of a page, and goes on after it. */
  async take(page: TransactionsPage): Promise<ReadLedgers> {
    const observed = await this.#options.observe(page.transactions)
    const last = page.transactions.at(-1)
    const hasEnded = page.completeThrough >= page.latestLedger
    const isAtEnd = hasEnded && (!last || this.#believes(last, page))
    const { ledger: through, closedAt } = isAtEnd ? headOf(page) : lastComplete(page)
    this.#position = last ?? this.#afterEmpty(page, isAtEnd)
    const payments = [...this.#held, ...observed]
    this.#held = payments.filter(({ ledger }) => ledger > through)
    return {
      through,
      closedAt,
      payments: payments.filter(({ ledger }) => ledger <= through),
      isAtEnd,
    }
  }

  #believes(last: TransactionPosition, { latestLedger }: LedgerRange): boolean {
    return latestLedger - last.ledger <= this.#options.believedLedgers
  }

  #afterEmpty(page: TransactionsPage, isAtEnd: boolean): TransactionPosition {
    return (isAtEnd ? undefined : readCursor(page.cursor)) ?? this.#position
  }
}

interface ClosedLedger {
  readonly ledger: number
  readonly closedAt: number
}

const headOf = ({ latestLedger, latestCloseTime }: LedgerRange): ClosedLedger => ({
  ledger: latestLedger,
  closedAt: latestCloseTime,
})

/** The ledger before that of the last listed transaction; its own close time is known only if it has transactions. */
function lastComplete(page: TransactionsPage): ClosedLedger {
  const last = page.transactions.at(-1)
  if (!last) return { ledger: page.completeThrough, closedAt: page.latestCloseTime }
  const ledger = last.ledger - 1
  const closedAt = page.transactions.findLast((each) => each.ledger === ledger)?.createdAt
  return { ledger, closedAt: closedAt ?? last.createdAt - 1 }
}
