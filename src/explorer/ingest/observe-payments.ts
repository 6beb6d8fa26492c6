import { setImmediate as nextTurn } from 'node:timers/promises'
import type { SteadyClock } from '../../platform/core/time/clock.ts'
import type { RawTransaction } from '../../stellar/rpc/pages/transaction-pages.ts'
import { type ClassifyOptions, classifyTransaction } from '../classify/classify.ts'
import type { ObservedPayment, SkipReason } from '../observed-payment.ts'

/** Payments are settled in the same process: decoding holds them up for no longer. */
const SLICE_MS = 8

export interface ObserveOptions extends ClassifyOptions {
  readonly clock: Pick<SteadyClock, 'monotonic'>
  readonly onSkipped: (reason: SkipReason) => void
}

/** The payments among transactions. Lets other work of the process go first every few milliseconds. */
export async function observePayments(
  transactions: readonly RawTransaction[],
  { clock, onSkipped, ...options }: ObserveOptions,
): Promise<readonly ObservedPayment[]> {
  const payments: ObservedPayment[] = []
  let sliceEnd = clock.monotonic() + SLICE_MS
  for (const transaction of transactions) {
    if (clock.monotonic() >= sliceEnd) {
      await nextTurn()
      sliceEnd = clock.monotonic() + SLICE_MS
    }
    const classification = classifyTransaction(transaction, options)
    if (classification === 'no_call') continue
    if ('payment' in classification) payments.push(classification.payment)
    else onSkipped(classification.skipped)
  }
  return payments
}
