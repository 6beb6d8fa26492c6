import type { LedgerRange } from '../../../stellar/rpc/rpc.ts'
import type { TailProgress } from '../../store/ingest/progress.ts'

/** The finding about the network's history in an answer. */
export type HistoryFinding =
  /** It is of the history that the progress is of. */
  | { readonly kind: 'same' }
  /** The endpoint has not the ledgers yet that were written. */
  | { readonly kind: 'lagging'; readonly ledgers: number }
  /**
   * It is of another one: a ledger closed later than a higher one, or there are more new ledgers than seconds. The
   * network began again, or an endpoint lies.
   */
  | { readonly kind: 'reset'; readonly ledgers: number }

/**
 * Nodes of a network differ by a few ledgers, and an endpoint that claims ledgers ahead may have moved the progress by
 * as many as the seconds between two ledgers: so small a difference says nothing.
 */
const TOLERATED_LEDGERS = 20

/**
 * Compares an answer with the ledgers that were written. Close times rise with each ledger by at least one second,
 * so a lower ledger with a later close time proves another history, and one with an earlier close time only a lag.
 */
export function judgeHistory(
  { lastLedger, lastClosedAt, highWater }: TailProgress,
  { latestLedger, latestCloseTime, oldestLedger, oldestCloseTime }: LedgerRange,
): HistoryFinding {
  const behind = lastLedger - latestLedger
  const isOlderStart = oldestLedger <= lastLedger - TOLERATED_LEDGERS
  if (isOlderStart && oldestCloseTime > lastClosedAt) {
    return { kind: 'reset', ledgers: Math.max(0, highWater - latestLedger) }
  }
  if (behind > TOLERATED_LEDGERS) {
    const kind = latestCloseTime > lastClosedAt ? 'reset' : 'lagging'
    return { kind, ledgers: highWater - latestLedger }
  }
  const lead = latestLedger - highWater
  if (lead > TOLERATED_LEDGERS && lead > latestCloseTime - lastClosedAt) {
    return { kind: 'reset', ledgers: lead }
  }
  return { kind: 'same' }
}
