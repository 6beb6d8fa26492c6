import type { Clock } from './clock.ts'
import { noLongerNeeded } from './no-longer-needed.ts'

export interface TimeLimit {
  readonly clock: Pick<Clock, 'sleep'>
  readonly ms: number
  /** Ends the work early, with this signal's own reason. */
  readonly signal?: AbortSignal | undefined
  /** The error of late work. @default `TimeLimitExceeded` */
  readonly lateError?: () => Error
}

/** The work took longer than it was given. */
export class TimeLimitExceeded extends Error {
  override readonly name = 'TimeLimitExceeded'

  constructor(ms: number) {
    super(`no answer within ${ms} ms`)
  }
}

/**
 * Runs `work` for `ms` at most. Its signal aborts at the limit and when the caller's does; work that
 * ignores it is not waited for, and what it throws afterwards is dropped. Leaves no timer and no
 * listener behind.
 *
 * @throws the work's own error, `lateError()` at the limit, or the reason of the caller's signal
 */
export async function withTimeLimit<T>(
  { clock, ms, signal, lateError = () => new TimeLimitExceeded(ms) }: TimeLimit,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted()
  const over = new AbortController()
  const timer = new AbortController()
  const { promise: ended, reject } = Promise.withResolvers<never>()
  const fail = () => reject(over.signal.reason)
  // Registered before the work can listen, so that this reason wins over what the work makes of it.
  over.signal.addEventListener('abort', fail, { once: true })
  const stop = () => over.abort(signal?.reason)
  signal?.addEventListener('abort', stop, { once: true })
  clock.sleep(ms, timer.signal).then(
    () => over.abort(lateError()),
    () => undefined,
  )
  try {
    return await Promise.race([work(over.signal), ended])
  } finally {
    timer.abort(noLongerNeeded)
    signal?.removeEventListener('abort', stop)
    // A kept socket holds its last request, that holds this signal, and the listener would hold the result of the work.
    over.signal.removeEventListener('abort', fail)
  }
}

/** For `catch`: turns an exceeded limit into undefined and throws every other error. */
export function undefinedWhenLate(error: unknown): undefined {
  if (!(error instanceof TimeLimitExceeded)) throw error
}
