import type { LedgerSample } from '../../../stellar/rpc/ledger-clock.ts'
import { isPast, type LandingWindow } from './ledger-outcome.ts'

/** A transaction that at least one request waits for. */
export interface AwaitedTransaction {
  readonly landing: LandingWindow
  /** The last ledger that was searched for it. */
  readonly searchedUpTo: number
  /** The status that a request for this hash returned; undefined before the first such request. */
  readonly last: unknown
}

export interface LookupPlan<T extends AwaitedTransaction> {
  /** Transactions to look up by hash. */
  readonly single: readonly T[]
  /** Transactions to search for together in all ledgers after `after`. */
  readonly batch: { readonly after: number; readonly all: readonly T[] } | undefined
}

/**
 * Up to this many are looked up by hash: one request each, whose answer holds that transaction only. A
 * search of a ledger returns all of its transactions, 200 per request.
 */
const MAX_SINGLE_LOOKUPS = 4
/** A transaction with more unsearched ledgers is looked up by hash: a search would read all of them for it. */
const MAX_BATCH_LEDGERS = 5

/**
 * Decides how to find transactions once the ledger is at `tip`. One that no later ledger can include is looked up
 * by hash, at least once: only an answer to its hash can prove that it is in no ledger, and after a network
 * reset ledgers count from 1 again.
 */
export function planLookups<T extends AwaitedTransaction>(
  waiting: Iterable<T>,
  tip: LedgerSample,
): LookupPlan<T> {
  const { sequence } = tip
  const due = [...waiting].filter(
    ({ landing, searchedUpTo, last }) =>
      searchedUpTo < sequence || (isPast(landing, tip) && last === undefined),
  )
  const mayBatch = ({ landing, searchedUpTo }: T) =>
    !isPast(landing, tip) && sequence - searchedUpTo <= MAX_BATCH_LEDGERS
  const batch = due.filter(mayBatch)
  if (batch.length <= MAX_SINGLE_LOOKUPS) return { single: due, batch: undefined }
  const after = Math.min(...batch.map(({ searchedUpTo }) => searchedUpTo))
  return {
    single: due.filter((each) => !mayBatch(each)),
    batch: { after, all: batch },
  }
}
