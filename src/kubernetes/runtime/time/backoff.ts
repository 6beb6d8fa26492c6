import type { BackoffBounds } from '../../../platform/core/time/backoff.ts'

/** The bounds of client-go's reflector. */
export const WATCH_BACKOFF: BackoffBounds = { baseMs: 800, maxMs: 30_000 }

/** `ms`, plus or minus a random part of up to `share` of it. */
export const jittered = (ms: number, share: number, random: () => number): number =>
  Math.round(ms * (1 + share * (2 * random() - 1)))
