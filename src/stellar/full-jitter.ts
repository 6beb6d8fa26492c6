import { randomInt } from 'node:crypto'

/** Evenly from 0 up to, but not including, 1. */
export type Random = () => number

export const cryptoRandom: Random = () => randomInt(2 ** 32) / 2 ** 32

export interface Backoff {
  readonly baseMs: number
  readonly capMs: number
}

/**
 * How long to wait before the next attempt: anything up to a bound that doubles with every failure,
 * so that clients which failed together do not come back together.
 */
export const fullJitter = (failures: number, { baseMs, capMs }: Backoff, random: Random): number =>
  random() * Math.min(capMs, baseMs * 2 ** Math.max(0, failures - 1))
