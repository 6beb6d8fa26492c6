import type { TransactionStatus } from './rpc.ts'

type Absence = Extract<TransactionStatus, { status: 'NOT_FOUND' }>

/**
 * An endpoint this far behind the newest ledger (a minute) is as good as out of reach: what it has
 * not seen says nothing, and one that stands still must not keep others from ever deciding.
 */
const OUT_OF_REACH_LEDGERS = 12

/**
 * What endpoints that all did not find a transaction have looked through together: the ledgers that
 * every one of them has seen and still keeps. A proof of expiry over that range holds for each.
 */
export function agreeOnAbsence(
  statuses: readonly TransactionStatus[],
  newestLedger: number,
): Absence | undefined {
  const reached = statuses
    .filter((status) => status.status === 'NOT_FOUND')
    .filter(({ latestLedger }) => latestLedger > newestLedger - OUT_OF_REACH_LEDGERS)
  if (reached.length === 0) return undefined
  const least = (of: (absence: Absence) => number) => Math.min(...reached.map(of))
  const most = (of: (absence: Absence) => number) => Math.max(...reached.map(of))
  return {
    status: 'NOT_FOUND',
    latestLedger: least(({ latestLedger }) => latestLedger),
    latestCloseTime: least(({ latestCloseTime }) => latestCloseTime),
    oldestLedger: most(({ oldestLedger }) => oldestLedger),
    oldestCloseTime: most(({ oldestCloseTime }) => oldestCloseTime),
  }
}
