import type { Clock } from '../core/clock.ts'

export interface Pace {
  readonly everyMs: number
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly log: (line: string) => void
}

/** Closes a ledger every `everyMs` until the signal aborts; resolves once the last one is done. */
export async function keepClosing(close: () => Promise<unknown>, pace: Pace): Promise<void> {
  const { everyMs, clock, signal, log } = pace
  let due = clock.now() + everyMs
  while (!signal.aborted) {
    try {
      await clock.sleep(Math.max(0, due - clock.now()), signal)
    } catch (error) {
      if (signal.aborted) return
      throw error
    }
    // Ledgers keep their beat; one that took longer than a period starts a new one.
    const now = clock.now()
    due = due + everyMs > now ? due + everyMs : now + everyMs
    await close().catch((error: unknown) => log(`a ledger did not close: ${String(error)}`))
  }
}
