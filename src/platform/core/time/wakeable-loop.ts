import { type BackgroundLoopOptions, startBackgroundLoop } from './background-loop.ts'

export interface WakeableLoop extends AsyncDisposable {
  /** Ends the current pause; during a round, leaves out the pause after it. */
  wake(): void
}

/** A background loop whose next round can be brought forward. */
export function startWakeableLoop(options: BackgroundLoopOptions): WakeableLoop {
  let isWoken = false
  let endPause = () => {}
  const { clock } = options
  const loop = startBackgroundLoop({
    ...options,
    clock: {
      now: () => clock.now(),
      sleep: async (ms, signal) => {
        if (!isWoken) {
          const woken = new AbortController()
          endPause = () => woken.abort()
          await clock
            .sleep(ms, signal ? AbortSignal.any([signal, woken.signal]) : woken.signal)
            .catch(() => undefined)
          endPause = () => {}
        }
        isWoken = false
      },
    },
  })
  return {
    wake: () => {
      isWoken = true
      endPause()
    },
    [Symbol.asyncDispose]: () => loop[Symbol.asyncDispose](),
  }
}
