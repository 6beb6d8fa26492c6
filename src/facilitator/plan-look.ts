import type { LedgerSample } from '../stellar/ledger-clock.ts'
import type { Submission } from './judge.ts'

/** A transaction that is waited for. */
export interface Awaited {
  readonly submission: Submission
  /** The newest ledger in which it was looked for. */
  readonly lookedUpTo: number
  /** What the look-up of this very transaction gave; undefined before the first. */
  readonly last: unknown
}

export interface LookPlan<A extends Awaited> {
  /** To be looked up one by one. */
  readonly alone: readonly A[]
  /** To be looked for together, in everything that landed after `after`. */
  readonly together: { readonly after: number; readonly all: readonly A[] } | undefined
}

/**
 * So few are looked up one by one: one request each, and only their own transactions in the answers.
 * A look through a ledger brings everybody's, in a request for each 200 of them.
 */
const A_FEW = 4
/** Who is further behind than this would make everybody read old ledgers again. */
const SPAN_LEDGERS = 5

/**
 * Decides how to look once the ledger is at `tip`. Whose max time has passed is looked up alone, and
 * at least once whatever ledgers there are: only an endpoint that was asked for the very transaction
 * can prove that it is nowhere, and a network that begins anew counts from the start again.
 */
export function planLook<A extends Awaited>(
  waiting: Iterable<A>,
  { sequence, closeTime }: LedgerSample,
): LookPlan<A> {
  const due = [...waiting].filter(
    ({ submission, lookedUpTo, last }) =>
      lookedUpTo < sequence || (submission.maxTime < closeTime && last === undefined),
  )
  const mayShare = ({ submission, lookedUpTo }: A) =>
    submission.maxTime >= closeTime && sequence - lookedUpTo <= SPAN_LEDGERS
  const shared = due.filter(mayShare)
  if (shared.length <= A_FEW) return { alone: due, together: undefined }
  const after = Math.min(...shared.map(({ lookedUpTo }) => lookedUpTo))
  return {
    alone: due.filter((each) => !mayShare(each)),
    together: { after, all: shared },
  }
}
