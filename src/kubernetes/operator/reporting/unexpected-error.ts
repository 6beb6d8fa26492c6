import { KubeError } from '../../runtime/client/kube-error.ts'
import { again, type Outcome, ReconcileTimeout } from '../../runtime/controller/outcome.ts'
import { type Condition, findCondition } from '../../runtime/objects/conditions.ts'

/**
 * Whether no rule says what to do about an error of a pass: a defect, or a value that the schema should have refused.
 * Errors of the API server are none: they pass, or a condition of their own reports them.
 */
export const isUnexpected = (error: unknown, signal: AbortSignal): boolean =>
  !signal.aborted && !(error instanceof KubeError) && !(error instanceof ReconcileTimeout)

/** The conditions of a pass that ended with an unexpected error; the others keep the last observation. */
export function failedConditions(kind: string, error: unknown) {
  return stoppedConditions('Failed', messageOf(kind, error))
}

/** The conditions of a pass that leaves every object as it is for this reason. */
export const stoppedConditions = <R extends string>(reason: R, message: string) =>
  [
    { type: 'Progressing', status: 'False', reason, message },
    { type: 'Degraded', status: 'True', reason, message },
  ] as const

/** A message without the error's own text, which may quote a Secret. */
function messageOf(kind: string, error: unknown): string {
  const { name, code } = error instanceof Error ? (error as NodeJS.ErrnoException) : {}
  const what = [name, code].filter((part) => part !== undefined).join(', ')
  return (
    `The operator cannot work with this ${kind}: it met an unexpected error (${what || 'no Error'}) and leaves ` +
    'every object as it is. Correct the field of the spec, or the Secret, that changed last, such as a URL; ' +
    "the operator's log has the error."
  )
}

interface Failed {
  readonly metadata: { readonly generation?: number }
  readonly status?: { readonly conditions?: readonly Condition[] | undefined } | undefined
}

const RETRY_MS = 60_000

/**
 * How a pass ends after its unexpected error is reported. The first one is thrown, so that the controller counts it
 * and retries soon; those that follow with the same spec are only logged by the caller, and retried each minute.
 */
export function outcomeOfFailure(before: Failed, error: unknown): Outcome {
  const known = findCondition(before.status?.conditions, 'Degraded')
  const isKnown =
    known?.reason === 'Failed' && known.observedGeneration === before.metadata.generation
  if (!isKnown) throw error
  return again(RETRY_MS, 'Failed')
}
