import { setImmediate } from 'node:timers/promises'

/** Transactions between two looks at the event loop: at a millisecond or two each, far below 50 ms. */
const STRIDE = 8

/** Lets other work through every few steps, so that a big ledger does not stop the process. */
export function breather(): () => Promise<void> | undefined {
  let steps = 0
  return () => {
    steps++
    return steps % STRIDE === 0 ? setImmediate() : undefined
  }
}
