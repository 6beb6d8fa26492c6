export interface BackoffBounds {
  readonly baseMs: number
  readonly maxMs: number
}

/** As client-go's reflector. */
export const WATCH_BACKOFF: BackoffBounds = { baseMs: 800, maxMs: 30_000 }

/**
 * Full jitter: a random time between 0 and a bound that doubles with each failure, so that clients that
 * failed together do not retry together. `failures` counts from 1; `random` yields [0, 1).
 */
export function backoffMs(
  { baseMs, maxMs }: BackoffBounds,
  failures: number,
  random: () => number,
): number {
  const bound = Math.min(maxMs, baseMs * 2 ** Math.min(failures - 1, 30))
  return Math.round(random() * bound)
}

/** `ms`, plus or minus a random part of up to `share` of it. */
export const jittered = (ms: number, share: number, random: () => number): number =>
  Math.round(ms * (1 + share * (2 * random() - 1)))
