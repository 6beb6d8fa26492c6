import { startBackgroundLoop } from '../../platform/core/time/background-loop.ts'
import type { Clock } from '../../platform/core/time/clock.ts'

export interface LedgerTimerOptions {
  readonly everyMs: number
  readonly clock: Clock
  readonly log: (line: string) => void
}

/**
 * Closes a ledger every `everyMs`, counted from the start of one close to the start of the next. A
 * close that takes longer than that delays the later ones; the timer does not catch up.
 */
export function startLedgerTimer(
  close: () => Promise<unknown>,
  { everyMs, clock, log }: LedgerTimerOptions,
): AsyncDisposable {
  let dueAt = clock.now() + everyMs
  return startBackgroundLoop({
    clock,
    first: 'pause',
    pauseMs: () => Math.max(0, dueAt - clock.now()),
    run: async () => {
      const now = clock.now()
      dueAt = dueAt + everyMs > now ? dueAt + everyMs : now + everyMs
      await close()
    },
    onError: (error) => log(`a ledger did not close: ${String(error)}`),
  })
}
