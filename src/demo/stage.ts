import type { Clock } from '../core/clock.ts'

/** One step of a paid call and how long it took. */
export interface Stage {
  readonly name: StageName
  readonly ms: number
}

/** Steps in the order in which they happen; `answer` is everything after the settlement. */
export const stageNames = ['402', 'sign', 'verify', 'settle', 'answer'] as const
export type StageName = (typeof stageNames)[number]

/** Runs `work` and tells how long it took, in milliseconds. */
export async function timed<T>(
  clock: Clock,
  work: () => Promise<T>,
): Promise<{ value: T; ms: number }> {
  const startedAt = clock.now()
  const value = await work()
  return { value, ms: clock.now() - startedAt }
}
