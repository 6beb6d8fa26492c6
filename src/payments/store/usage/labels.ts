export const usageOperations = ['verify', 'settle'] as const
type UsageOperation = (typeof usageOperations)[number]

/** `valid` and `invalid` are of verify, the others of settle. */
export const usageOutcomes = [
  'valid',
  'invalid',
  'success',
  'failure',
  'pending',
  'repeat',
] as const
export type UsageOutcome = (typeof usageOutcomes)[number]

/** Requests with equal labels are counted together. */
export interface UsageLabels {
  /** The caller. */
  readonly subject: string
  /** The day in UTC, `2026-11-21`. */
  readonly day: string
  readonly network: string
  readonly operation: UsageOperation
  readonly outcome: UsageOutcome
  readonly asset: string
}
