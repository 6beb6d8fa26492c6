import type { Random } from '../../platform/core/time/backoff.ts'

/** Up to a tenth later, so that what became due together does not stay so. */
export const spread = (ms: number, random: Random): number => Math.round(ms * (1 + random() / 10))
