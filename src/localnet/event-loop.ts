import { setImmediate } from 'node:timers/promises'

/** Work done in one go before others get their turn: far below the 50 ms that callers notice. */
const SLICE_MS = 10

/** Before and after work that cannot be cut into pieces. */
export const pause = (): Promise<void> => setImmediate()

/** Call between steps of long work: lets the event loop run whenever a slice is over. */
export function breather(): () => Promise<void> | undefined {
  let since = performance.now()
  return () => {
    if (performance.now() - since < SLICE_MS) return undefined
    return setImmediate().then(() => {
      since = performance.now()
    })
  }
}
