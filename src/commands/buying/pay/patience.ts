import { messageOf } from '../../../platform/core/text/error-message.ts'
import { systemClock } from '../../../platform/core/time/clock.ts'
import type { StopSignals } from '../../../service/process/stop-signals.ts'
import type { PayFlags } from './options.ts'

/** Ends a command that pays: `stop` at the first signal, `now` at the second. */
export interface PaySignals {
  readonly stop: AbortSignal
  readonly now: AbortSignal
}

export interface PayContext {
  readonly flags: PayFlags
  readonly signals: PaySignals
}

export const paySignals = ({
  stop,
  stopAtOnce,
}: Pick<StopSignals, 'stop' | 'stopAtOnce'>): PaySignals => ({ stop, now: stopAtOnce() })

/** Options of a payment that signals can end. */
interface Interruption {
  /** Ends it while nothing was signed. */
  readonly signal: AbortSignal
  /** Ends the wait for the answer. */
  readonly sentSignal: AbortSignal
  readonly beforeSending: () => void
  /** The answer is there: a signal is about nothing that still has to come. */
  readonly answered: () => void
}

/** A ledger closes about every five seconds, and a settlement waits for one. */
const MOMENT_MS = 5_000

/**
 * Makes a payment that the first signal ends at once while nothing was signed. Later the answer may still come for a moment, and `say` is
 * called; the second signal ends that too.
 */
export async function withPatience<T>(
  { stop, now }: PaySignals,
  say: (sentence: string) => void,
  payment: (interruption: Interruption) => Promise<T>,
): Promise<T> {
  const over = new AbortController()
  const end = () => over.abort(stop.reason)
  const waitForAnswer = () => {
    const moment = `${MOMENT_MS / 1_000} s`
    say(
      `${messageOf(stop.reason)} after the payment was sent: its answer may come for another ${moment}. A second signal ends at once.`,
    )
    systemClock.sleep(MOMENT_MS, now).then(end, end)
  }
  const beforeSending = () => stop.addEventListener('abort', waitForAnswer, { once: true })
  const answered = () => stop.removeEventListener('abort', waitForAnswer)
  try {
    return await payment({ signal: stop, sentSignal: over.signal, beforeSending, answered })
  } finally {
    answered()
  }
}
