import { systemClock } from '../../../platform/core/time/clock.ts'

/** The approximate ledger interval of both networks. */
const SECONDS_PER_LEDGER = 5

/** A TTL for a person: ledgers, and the day until which they last. */
export function untilOf(ttl: number | undefined): string {
  if (ttl === undefined) return 'not on the ledger'
  if (ttl < 0) return 'archived'
  const end = new Date(systemClock.now() + ttl * SECONDS_PER_LEDGER * 1_000)
  return `${ttl} ledgers left, until about ${end.toISOString().slice(0, 10)}`
}
