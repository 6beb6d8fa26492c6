import { messageOf } from '../../platform/core/text/error-message.ts'
import type { Budget } from '../budget/budget.ts'
import type { PaidAnswer } from './pay.ts'

export interface DeliverOptions {
  readonly budget: Budget
  /** Runs with the answer, before its purchase ends. */
  readonly onPaid?: ((paid: PaidAnswer) => Promise<unknown>) | undefined
  /** Whether the caller still waits. What nobody waits for ends no purchase: the next call gets it. @default always */
  readonly isWanted?: (() => boolean) | undefined
  /** Tells the buyer what is done, and why. */
  readonly say: (sentence: string) => void
}

/** Ends the purchase of an answer that its caller gets. It never throws: what was paid for is not withheld because it cannot be recorded. */
export async function deliver(
  id: bigint,
  paid: PaidAnswer,
  { budget, onPaid, isWanted = () => true, say }: DeliverOptions,
): Promise<PaidAnswer> {
  try {
    await onPaid?.(paid)
    budget.answered(id, paid.receipt, isWanted())
  } catch (error) {
    say(`the payment was made, and its answer could not be recorded: ${messageOf(error)}`)
    try {
      budget.purchases.leave(id)
    } catch {
      // The file cannot be written. The end of this process leaves it too.
    }
  }
  return paid
}
