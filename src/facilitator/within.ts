import type { Clock } from '../core/clock.ts'

/** What `work` resolves with, or undefined when it has not after `ms`. The work itself goes on. */
export async function within<T>(
  clock: Clock,
  ms: number,
  work: Promise<T>,
): Promise<T | undefined> {
  const over = new AbortController()
  try {
    return await Promise.race([
      work,
      clock
        .sleep(ms, over.signal)
        .catch(() => undefined)
        .then(() => undefined),
    ])
  } finally {
    over.abort()
  }
}
