export interface BackoffBounds {
  readonly baseMs: number
  readonly maxMs: number
}

/** The bounds of client-go's reflector. */
export const WATCH_BACKOFF: BackoffBounds = { baseMs: 800, maxMs: 30_000 }

/**
 * The milliseconds before the next attempt, after `failures` in a row. Full jitter: anything up to a bound that doubles
 * with each failure, so that clients that failed together do not retry together.
 */
export function backoffMs(
  { baseMs, maxMs }: BackoffBounds,
  failures: number,
  random: () => number,
): number {
  return Math.round(random() * Math.min(maxMs, baseMs * 2 ** Math.min(failures - 1, 30)))
}

/** `ms`, plus or minus a random part of up to `share` of it. */
export const jittered = (ms: number, share: number, random: () => number): number =>
  Math.round(ms * (1 + share * (2 * random() - 1)))
