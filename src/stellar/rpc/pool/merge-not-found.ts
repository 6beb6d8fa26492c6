import type { TransactionStatus } from '../rpc.ts'

type NotFound = Extract<TransactionStatus, { status: 'NOT_FOUND' }>

/**
 * An endpoint this far behind the latest ledger (a minute) is ignored: it does not have the ledgers
 * in question, and an endpoint that stopped must not block the decision forever.
 */
const MAX_LAG_LEDGERS = 12

/**
 * Merges the NOT_FOUND answers of several endpoints into one over a range of ledgers that one of them has
 * searched completely: from the oldest that any of them retains to the latest that all of them know. A
 * complete search by one endpoint proves an absence, since all of them hold the same ledgers; an endpoint with a
 * shorter history adds nothing, and takes nothing away. Yet none of them may still lag behind the range: while
 * one does, its NOT_FOUND is no answer. Undefined when all of them lag too far.
 */
export function mergeNotFound(
  statuses: readonly TransactionStatus[],
  latestLedger: number,
): NotFound | undefined {
  const answers = statuses
    .filter((status) => status.status === 'NOT_FOUND')
    .filter((answer) => answer.latestLedger > latestLedger - MAX_LAG_LEDGERS)
  const [first] = answers.toSorted((a, b) => a.oldestLedger - b.oldestLedger)
  if (!first) return undefined
  return {
    status: 'NOT_FOUND',
    latestLedger: Math.min(...answers.map((answer) => answer.latestLedger)),
    latestCloseTime: Math.min(...answers.map((answer) => answer.latestCloseTime)),
    oldestLedger: first.oldestLedger,
    oldestCloseTime: first.oldestCloseTime,
  }
}
