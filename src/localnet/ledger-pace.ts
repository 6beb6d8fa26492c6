import type { Clock } from '../core/clock.ts'

/** Closes a ledger every `everyMs` until the signal aborts; resolves once the last one is done. */
export async function keepClosing(
  close: () => Promise<unknown>,
  {
    everyMs,
    clock,
    signal,
    log,
  }: {
    readonly everyMs: number
    readonly clock: Clock
    readonly signal: AbortSignal
    readonly log: (line: string) => void
  },
): Promise<void> {
  let due = clock.now() + everyMs
  while (!signal.aborted) {
    try {
      await clock.sleep(Math.max(0, due - clock.now()), signal)
    } catch (error) {
      if (signal.aborted) return
      throw error
    }
    // A ledger that closes late does not make those after it come sooner than their turn.
    due = Math.max(due + everyMs, clock.now())
    await close().catch((error: unknown) => log(`a ledger did not close: ${String(error)}`))
  }
}
