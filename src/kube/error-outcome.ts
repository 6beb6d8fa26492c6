import { isKubeError } from './kube-error.ts'

/**
 * What an error that a reconcile threw means to its controller.
 *
 * - `conflict`: no error; the cache was behind, try again with backoff
 * - `error`: try again with backoff
 * - `terminal`: the server refuses: what is invalid stays so until the object changes, what is forbidden
 *   until somebody grants it
 * - `timeout`: the reconcile took too long; try again with backoff
 * - `panic`: a programming error; try again with backoff, and shout
 */
export type ErrorResult = 'conflict' | 'error' | 'terminal' | 'timeout' | 'panic'

/** The reason with which the signal of a reconcile aborts when its time is over. */
export class ReconcileTimeout extends Error {
  override readonly name = 'ReconcileTimeout'
}

type Rule = (error: unknown) => ErrorResult | undefined

const isProgrammingError = (error: unknown): boolean =>
  [TypeError, ReferenceError, RangeError, SyntaxError].some((kind) => error instanceof kind)

/** The first that has a word decides. */
const rules: readonly Rule[] = [
  (error) => (error instanceof ReconcileTimeout ? 'timeout' : undefined),
  (error) => (isKubeError(error, 'conflict') ? 'conflict' : undefined),
  (error) => (isKubeError(error, 'invalid', 'forbidden') ? 'terminal' : undefined),
  (error) => (isProgrammingError(error) ? 'panic' : undefined),
]

export function resultOfError(error: unknown): ErrorResult {
  for (const rule of rules) {
    const result = rule(error)
    if (result) return result
  }
  return 'error'
}
