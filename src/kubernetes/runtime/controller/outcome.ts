import { isKubeError } from '../client/kube-error.ts'

/** The result of a reconcile. One that throws has failed; `resultOfError` classifies its error. */
export type Outcome =
  /** Nothing is left to do until an object changes or the resync comes. */
  | { readonly kind: 'settled' }
  /** Not done yet, and no watch will report progress: reconcile again after `afterMs`. */
  | { readonly kind: 'again'; readonly afterMs: number; readonly because: string }
  /** Not possible until a watched object changes. Reason and message are those of a condition. */
  | { readonly kind: 'stuck'; readonly reason: string; readonly message: string }

export const settled: Outcome = { kind: 'settled' }

export const again = (afterMs: number, because: string): Outcome => ({
  kind: 'again',
  afterMs,
  because,
})

export const stuck = (reason: string, message: string): Outcome => ({
  kind: 'stuck',
  reason,
  message,
})

/**
 * The class of an error that a reconcile threw:
 *
 * - `conflict`: not an error; the cache was behind the server. Retried with backoff.
 * - `error`: retried with backoff.
 * - `terminal`: the server refused. `invalid` stays until the object changes; `forbidden`, until an administrator
 *   grants the right, is retried with backoff.
 * - `timeout`: the reconcile took too long. Retried with backoff.
 * - `panic`: a programming error. Retried with backoff, and counted by a metric of its own.
 */
export type ErrorResult = 'conflict' | 'error' | 'terminal' | 'timeout' | 'panic'

/** The signal of a reconcile aborts with this error at its time limit. */
export class ReconcileTimeout extends Error {
  override readonly name = 'ReconcileTimeout'
}

const isProgrammingError = (error: unknown): boolean =>
  [TypeError, ReferenceError, RangeError, SyntaxError].some((kind) => error instanceof kind)

export function resultOfError(error: unknown): ErrorResult {
  if (error instanceof ReconcileTimeout) return 'timeout'
  if (isKubeError(error, 'conflict')) return 'conflict'
  if (isKubeError(error, 'invalid', 'forbidden')) return 'terminal'
  return isProgrammingError(error) ? 'panic' : 'error'
}
