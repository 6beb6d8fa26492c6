import type { RunSignals } from './controller.ts'

export interface Ending extends Disposable {
  /** Resolves when no more work is to be begun. */
  readonly stopped: Promise<void>
  /** Aborts when work under way has to end at once. */
  readonly halt: AbortSignal
}

/** From "stop", by and by, and "lost", at once, to one signal for the work under way. */
export function runSignals(
  { stop, lost, graceMs = 20_000 }: RunSignals,
  close: () => void,
): Ending {
  const halt = new AbortController()
  const stopped = Promise.withResolvers<void>()
  let grace: NodeJS.Timeout | undefined
  const end = () => {
    close()
    stopped.resolve()
  }
  const onStop = () => {
    end()
    const late = () => halt.abort(new Error(`work went on for ${graceMs} ms after the stop`))
    grace = setTimeout(late, graceMs)
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
