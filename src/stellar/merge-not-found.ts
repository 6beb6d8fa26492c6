import type { TransactionStatus } from './rpc.ts'

type NotFound = Extract<TransactionStatus, { status: 'NOT_FOUND' }>

/**
 * An endpoint this far behind the latest ledger (a minute) is ignored: it does not have the ledgers
 * in question, and an endpoint that stopped must not block the decision forever.
 */
const MAX_LAG_LEDGERS = 12

/**
 * Merges the NOT_FOUND answers of several endpoints into one over the ledgers that every endpoint has
 * searched and still retains. A proof of expiry over that range holds for each of them. Undefined when
 * all of them lag too far.
 */
export function mergeNotFound(
  statuses: readonly TransactionStatus[],
  latestLedger: number,
): NotFound | undefined {
  const answers = statuses
    .filter((status) => status.status === 'NOT_FOUND')
    .filter((answer) => answer.latestLedger > latestLedger - MAX_LAG_LEDGERS)
  if (answers.length === 0) return undefined
  return {
    status: 'NOT_FOUND',
    latestLedger: Math.min(...answers.map((answer) => answer.latestLedger)),
    latestCloseTime: Math.min(...answers.map((answer) => answer.latestCloseTime)),
    oldestLedger: Math.max(...answers.map((answer) => answer.oldestLedger)),
    oldestCloseTime: Math.max(...answers.map((answer) => answer.oldestCloseTime)),
  }
}
