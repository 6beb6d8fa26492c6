import { systemClock } from '../core/clock.ts'
import { withTimeLimit } from '../core/time-limit.ts'
import { type ErrorResult, type Outcome, ReconcileTimeout, resultOfError } from './outcome.ts'

/** How one reconcile ended; `result` is the label of its metric. */
export type Attempt =
  | { readonly result: Outcome['kind']; readonly outcome: Outcome }
  | { readonly result: ErrorResult; readonly error: unknown }
  /** The controller had to end at once. */
  | { readonly result: 'aborted' }

export interface AttemptOptions {
  /** The controller's own signal. */
  readonly signal: AbortSignal
  /** Real time, whatever clock the controller has: a reconcile waits for sockets. */
  readonly timeoutMs: number
}

/** Runs one reconcile; never rejects. Work that ignores its signal is not waited for. */
export async function attempt(
  { signal, timeoutMs }: AttemptOptions,
  work: (signal: AbortSignal) => Promise<Outcome>,
): Promise<Attempt> {
  const lateError = () => new ReconcileTimeout(`a reconcile took over ${timeoutMs} ms`)
  try {
    const outcome = await withTimeLimit(
      { clock: systemClock, ms: timeoutMs, signal, lateError },
      work,
    )
    return { result: outcome.kind, outcome }
  } catch (error) {
    if (signal.aborted) return { result: 'aborted' }
    return { result: resultOfError(error), error }
  }
}
