import type { Clock } from '../../platform/core/time/clock.ts'
import { withTimeLimit } from '../../platform/core/time/time-limit.ts'
import { StoreUnavailable } from '../../platform/database/postgres/unavailable.ts'

/** A value that was fetched, or why it could not be, in one clause. */
export type Fetched<T> =
  | { readonly ok: true; readonly value: T }
  | {
      readonly ok: false
      readonly why: string
      /** The advice, where the error itself has one. */
      readonly todo?: string
    }

export interface FetchLimits {
  readonly clock: Clock
  /** Time limit of each request. */
  readonly timeoutMs: number
}

/** Fetches something within the time limit. Never throws. */
export async function fetchWithin<T>(
  { clock, timeoutMs: ms }: FetchLimits,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<Fetched<T>> {
  try {
    return { ok: true, value: await withTimeLimit({ clock, ms }, work) }
  } catch (error) {
    const refusal = error instanceof StoreUnavailable ? error.refusal : undefined
    if (refusal) return { ok: false, why: refusal.says, todo: refusal.todo }
    return { ok: false, why: clauseOf(error) }
  }
}

/** Messages of databases and endpoints name hosts and users, never passwords or keys. */
const clauseOf = (error: unknown): string =>
  error instanceof Error && error.message !== '' ? error.message : String(error)

/** Fetches what depends on an earlier value; fails as that did. */
export const fetchAfter = async <A, B>(
  first: Fetched<A>,
  next: (value: A) => Promise<Fetched<B>>,
): Promise<Fetched<B>> => (first.ok ? next(first.value) : first)
