export interface RunSignals {
  /** No more keys are taken; a reconcile in progress may end within 20 s. */
  readonly stop: AbortSignal
  /** Aborts every reconcile at once: the lease is lost. */
  readonly lost?: AbortSignal
}

export interface Ending extends Disposable {
  /** Resolves when no more work should start. */
  readonly stopped: Promise<void>
  /** Aborts when work in progress has to end at once. */
  readonly halt: AbortSignal
}

const GRACE_MS = 20_000

/** Combines `stop`, which leaves time to finish, and `lost`, which does not. Calls `close` at the first of them. */
export function combineSignals({ stop, lost }: RunSignals, close: () => void): Ending {
  const halt = new AbortController()
  const stopped = Promise.withResolvers<void>()
  let grace: NodeJS.Timeout | undefined
  const end = () => {
    close()
    stopped.resolve()
  }
  const onStop = () => {
    end()
    const late = () => halt.abort(new Error(`work went on for ${GRACE_MS} ms after the stop`))
    grace = setTimeout(late, GRACE_MS)
  }
  const onLost = () => {
    end()
    halt.abort(lost?.reason)
  }
  stop.addEventListener('abort', onStop, { once: true })
  lost?.addEventListener('abort', onLost, { once: true })
  if (stop.aborted) onStop()
  if (lost?.aborted) onLost()
  return {
    stopped: stopped.promise,
    halt: halt.signal,
    [Symbol.dispose]() {
      clearTimeout(grace)
      stop.removeEventListener('abort', onStop)
      lost?.removeEventListener('abort', onLost)
    },
  }
}
