export const usageOperations = ['verify', 'settle'] as const
export type UsageOperation = (typeof usageOperations)[number]

/** Of verify the first two, of settle the others. */
export const usageOutcomes = [
  'valid',
  'invalid',
  'success',
  'failure',
  'pending',
  'repeat',
] as const
export type UsageOutcome = (typeof usageOutcomes)[number]

/** What requests are told apart by when they are counted. */
export interface UsageLabels {
  /** Who asked. */
  readonly subject: string
  /** In UTC, `2026-11-21`. */
  readonly day: string
  readonly network: string
  readonly operation: UsageOperation
  readonly outcome: UsageOutcome
  readonly asset: string
}
