import type { ErrorResult } from './error-outcome.ts'
import { ReconcileTimeout, resultOfError } from './error-outcome.ts'
import type { Outcome } from './outcome.ts'

/** How one reconcile ended; `result` is the label of its metric. */
export type Ended =
  | { readonly result: 'settled' | 'again' | 'stuck'; readonly outcome: Outcome }
  | { readonly result: ErrorResult; readonly error: unknown; readonly retry: string }
  /** The controller had to end at once. */
  | { readonly result: 'aborted' }

export interface AttemptOptions {
  /** The controller's own signal. */
  readonly signal: AbortSignal
  /** Real milliseconds, since a reconcile waits for sockets. */
  readonly timeoutMs: number
}

/** Runs one reconcile to exactly one end, whatever it does. Work that ignores its signal is not waited for. */
export async function attempt(
  { signal, timeoutMs }: AttemptOptions,
  work: (signal: AbortSignal) => Promise<Outcome>,
): Promise<Ended> {
  const controller = new AbortController()
  const abort = () => controller.abort(signal.reason)
  const late = () => controller.abort(new ReconcileTimeout(`a reconcile took over ${timeoutMs} ms`))
  const timer = setTimeout(late, timeoutMs)
  signal.addEventListener('abort', abort, { once: true })
  if (signal.aborted) abort()
  try {
    return endOfOutcome(await Promise.race([work(controller.signal), aborted(controller.signal)]))
  } catch (error) {
    if (signal.aborted) return { result: 'aborted' }
    const cause = controller.signal.aborted ? controller.signal.reason : error
    return { result: resultOfError(cause), error: cause, retry: 'kubernetes' }
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', abort)
  }
}

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    if (signal.aborted) return reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })

function endOfOutcome(outcome: Outcome): Ended {
  if (outcome.kind !== 'failed') return { result: outcome.kind, outcome }
  const { error, retry } = outcome
  return { result: resultOfError(error), error, retry }
}
