import type { Clock } from '../core/clock.ts'

/** What was read, or in one clause why it could not be. */
export type Reading<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly why: string }

export interface Bounds {
  readonly clock: Clock
  readonly timeoutMs: number
}

/** Reads something within its time; the work is told to stop then, and nobody waits until it does. */
export async function readingOf<T>(
  { clock, timeoutMs }: Bounds,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<Reading<T>> {
  const over = new AbortController()
  const late = clock.sleep(timeoutMs, over.signal).then(
    () => ({ ok: false, why: `no answer in ${timeoutMs} ms` }) as const,
    // Only when the work was done first: then nobody listens any more.
    () => ({ ok: false, why: 'stopped' }) as const,
  )
  const done = work(over.signal).then(
    (value) => ({ ok: true, value }) as const,
    (error: unknown) => ({ ok: false, why: sentenceOf(error) }) as const,
  )
  try {
    return await Promise.race([done, late])
  } finally {
    over.abort()
  }
}

/** Messages of databases and endpoints name hosts and users, never passwords or keys. */
const sentenceOf = (error: unknown): string =>
  error instanceof Error && error.message !== '' ? error.message : String(error)

/** `Promise.all` for one reading after another that needs its value. */
export const readingAfter = async <A, B>(
  first: Reading<A>,
  next: (value: A) => Promise<Reading<B>>,
): Promise<Reading<B>> => (first.ok ? next(first.value) : first)
