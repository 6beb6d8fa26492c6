import { isoTime } from '../../platform/core/text/iso-time.ts'

/**
 * Times of the list are as precise as the database's, in microseconds since the Unix epoch: rounded ones would let
 * a listing of the same millisecond into the second page that was not in the first.
 */
export const asOfText = (us: number): string => {
  const [ms, rest] = [Math.floor(us / 1_000), us % 1_000]
  return isoTime(ms).replace('Z', `${String(rest).padStart(3, '0')}Z`)
}

/** Microseconds since the Unix epoch of an ISO 8601 time with a zone; digits beyond microseconds are dropped. */
export function microsecondsOf(text: string): number {
  const fraction = /\.(?<digits>\d+)/.exec(text)?.groups?.['digits'] ?? ''
  return Date.parse(text) * 1_000 + Number(fraction.slice(3, 6).padEnd(3, '0'))
}
