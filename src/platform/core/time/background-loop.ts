import type { Clock } from './clock.ts'

export interface BackgroundLoopOptions {
  /** One round. An error goes to `onError`, and the loop goes on. */
  readonly run: (signal: AbortSignal) => Promise<void>
  /** From the end of a round to the start of the next; a function gets how long the round took. Milliseconds. */
  readonly pauseMs: number | ((tookMs: number) => number)
  readonly clock: Clock
  /** Logs and counts an error of a round. Not called for errors of a round that was stopped. */
  readonly onError: (error: unknown) => void
  /** Stops the loop, as disposing of it does. */
  readonly signal?: AbortSignal
  /** Whether the loop starts with a round or a pause. @default 'round' */
  readonly first?: 'round' | 'pause'
}

/** Runs rounds one after the other until it is disposed of; disposal waits for the current round. */
export function startBackgroundLoop(options: BackgroundLoopOptions): AsyncDisposable {
  const stop = new AbortController()
  const signal = options.signal ? AbortSignal.any([options.signal, stop.signal]) : stop.signal
  const running = runRounds(options, signal)
  return {
    [Symbol.asyncDispose]: async () => {
      stop.abort()
      await running
    },
  }
}

async function runRounds(
  { run, pauseMs, clock, onError, first = 'round' }: BackgroundLoopOptions,
  signal: AbortSignal,
): Promise<void> {
  const pause = (tookMs: number) =>
    clock
      .sleep(typeof pauseMs === 'number' ? pauseMs : pauseMs(tookMs), signal)
      .catch(() => undefined)
  if (first === 'pause') await pause(0)
  while (!signal.aborted) {
    const startedAt = clock.now()
    try {
      await run(signal)
    } catch (error) {
      if (!signal.aborted) onError(error)
    }
    await pause(clock.now() - startedAt)
  }
}
