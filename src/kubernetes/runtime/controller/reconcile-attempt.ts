import { systemClock } from '../../../platform/core/time/clock.ts'
import { withTimeLimit } from '../../../platform/core/time/time-limit.ts'
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
  readonly timeoutMs: number
}

export interface Attempted {
  readonly attempt: Attempt
  /** Resolves when the work is over, which may be long after its time limit if it ignores its signal. */
  readonly over: Promise<void>
}

/** Runs one reconcile; never rejects. Returns at the time limit, even while the work still runs. */
export async function attempt(
  { signal, timeoutMs }: AttemptOptions,
  work: (signal: AbortSignal) => Promise<Outcome>,
): Promise<Attempted> {
  const lateError = () => new ReconcileTimeout(`a reconcile took over ${timeoutMs} ms`)
  let over: Promise<void> = Promise.resolve()
  const run = (limited: AbortSignal): Promise<Outcome> => {
    const running = work(limited)
    over = running.then(
      () => undefined,
      () => undefined,
    )
    return running
  }
  try {
    const outcome = await withTimeLimit(
      { clock: systemClock, ms: timeoutMs, signal, lateError },
      run,
    )
    return { attempt: { result: outcome.kind, outcome }, over }
  } catch (error) {
    if (signal.aborted) return { attempt: { result: 'aborted' }, over }
    return { attempt: { result: resultOfError(error), error }, over }
  }
}
