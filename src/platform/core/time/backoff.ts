import { randomInt } from 'node:crypto'

/** Evenly distributed from 0 up to, but not including, 1. */
export type Random = () => number

export const cryptoRandom: Random = () => randomInt(2 ** 32) / 2 ** 32

export interface BackoffBounds {
  readonly baseMs: number
  readonly maxMs: number
}

/**
 * How long to wait before the next attempt, in milliseconds. Full jitter: anything between 0 and a
 * bound that doubles with each failure, so that clients which failed together do not retry together.
 * @param failures in a row, from 1
 */
export function backoffMs(
  { baseMs, maxMs }: BackoffBounds,
  failures: number,
  random: Random,
): number {
  const bound = Math.min(maxMs, baseMs * 2 ** Math.min(failures - 1, 30))
  return Math.round(random() * bound)
}
