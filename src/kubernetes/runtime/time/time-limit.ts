export interface TimeLimit {
  /** Milliseconds of real time, whatever clock the caller has: the work waits for sockets. */
  readonly ms: number
  /** Ends the work early, with this signal's own reason. */
  readonly signal?: AbortSignal | undefined
  /** The error of late work. */
  readonly lateError: () => Error
}

/**
 * Runs `work` for `ms` at most. Its signal aborts at the limit and when the caller's does; work that ignores it is
 * not waited for, and what it throws afterwards is dropped.
 *
 * @throws the work's own error, `lateError()` at the limit, or the reason of the caller's signal
 */
export async function withTimeLimit<T>(
  { ms, signal, lateError }: TimeLimit,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted()
  const over = new AbortController()
  const { promise: ended, reject } = Promise.withResolvers<never>()
  const fail = () => reject(over.signal.reason)
  // Registered before the work can listen, so that this reason wins over what the work makes of it.
  over.signal.addEventListener('abort', fail, { once: true })
  const stop = () => over.abort(signal?.reason)
  signal?.addEventListener('abort', stop, { once: true })
  const timer = setTimeout(() => over.abort(lateError()), ms)
  try {
    return await Promise.race([work(over.signal), ended])
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', stop)
    // A kept socket holds its last request, that holds this signal, and the listener would hold the result of the work.
    over.signal.removeEventListener('abort', fail)
  }
}
