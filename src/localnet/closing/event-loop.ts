import { setImmediate } from 'node:timers/promises'

/** Longest stretch of work between two yields: far below the 50 ms that callers notice. */
const SLICE_MS = 10

/** Lets the event loop run once. For before and after work that cannot be interrupted. */
export const yieldToEventLoop = (): Promise<void> => setImmediate()

/** Returns a function to call between the steps of long work: it yields once `SLICE_MS` have passed. */
export function periodicYield(): () => Promise<void> | undefined {
  let since = performance.now()
  return () => {
    if (performance.now() - since < SLICE_MS) return undefined
    return setImmediate().then(() => {
      since = performance.now()
    })
  }
}
