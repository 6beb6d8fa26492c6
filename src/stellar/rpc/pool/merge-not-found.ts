import type { TransactionStatus } from '../rpc.ts'

type NotFound = Extract<TransactionStatus, { status: 'NOT_FOUND' }>

/** The answer of one endpoint, and whether its ledgers have stopped. */
interface SearchedBy {
  readonly status: TransactionStatus
  readonly hasStopped: boolean
}

/**
 * An endpoint that stopped this far behind the latest ledger (a minute) is ignored: it does not have the ledgers in question,
 * and must not block the decision forever. One whose ledgers go on is not: the latest ledger may be the claim of another
 * endpoint alone, which would prove an absence before the network has reached it.
 */
const MAX_LAG_LEDGERS = 12

/** So many answers prove an absence in doubt: one alone may be false. */
const PROVING_ANSWERS = 2

/**
 * Merges the NOT_FOUND answers of several endpoints into one over a range of ledgers that one of them has
 * searched completely: from the oldest that any of them retains to the latest that all of them know. A
 * complete search by one endpoint proves an absence, since all of them hold the same ledgers; an endpoint with a
 * shorter history adds nothing, and takes nothing away. Yet none of them may still lag behind the range: while
 * one does, its NOT_FOUND is no answer. Undefined when all of them have stopped too far behind.
 *
 * @param isInDoubt whether an endpoint that is not gone gave no answer that could be read: it may have the transaction. Or the endpoints
 * disagree about the latest ledger. Then the range of a single answer is empty, up to ledger 0.
 */
export function mergeNotFound(
  searched: readonly SearchedBy[],
  latestLedger: number,
  isInDoubt: boolean,
): NotFound | undefined {
  const answers = searched
    .filter(
      ({ status, hasStopped }) =>
        !hasStopped || status.latestLedger > latestLedger - MAX_LAG_LEDGERS,
    )
    .map(({ status }) => status)
    .filter((status) => status.status === 'NOT_FOUND')
  const [first] = answers.toSorted((a, b) => a.oldestLedger - b.oldestLedger)
  if (!first) return undefined
  const isProved = !isInDoubt || answers.length >= PROVING_ANSWERS
  return {
    status: 'NOT_FOUND',
    latestLedger: isProved ? Math.min(...answers.map((answer) => answer.latestLedger)) : 0,
    latestCloseTime: isProved ? Math.min(...answers.map((answer) => answer.latestCloseTime)) : 0,
    oldestLedger: first.oldestLedger,
    oldestCloseTime: first.oldestCloseTime,
  }
}
