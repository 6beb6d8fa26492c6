export interface BackoffBounds {
  readonly baseMs: number
  readonly maxMs: number
}

/** From 0.8 s to 30 s, as client-go's reflector. */
export const watchBackoff: BackoffBounds = { baseMs: 800, maxMs: 30_000 }

/**
 * Full jitter: anywhere between nothing and the bound, which doubles with each failure, so that those
 * who failed together do not come back together. `failures` counts from 1; `random` yields [0, 1).
 */
export function backoffMs(
  { baseMs, maxMs }: BackoffBounds,
  failures: number,
  random: () => number,
): number {
  const bound = Math.min(maxMs, baseMs * 2 ** Math.min(failures - 1, 30))
  return Math.round(random() * bound)
}

/** `ms`, give or take `share` of it. */
export const jittered = (ms: number, share: number, random: () => number): number =>
  Math.round(ms * (1 + share * (2 * random() - 1)))
