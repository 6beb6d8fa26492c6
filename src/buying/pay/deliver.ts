import { messageOf } from '../../platform/core/text/error-message.ts'
import type { Budget } from '../budget/budget.ts'
import type { HeldPurchase } from '../budget/purchases.ts'
import type { PaidAnswer } from './pay.ts'

export interface DeliverOptions {
  readonly budget: Budget
  /** Runs with the answer, before its purchase ends. */
  readonly onPaid?: ((paid: PaidAnswer) => Promise<unknown>) | undefined
  /**
   * Gives the answer to the buyer, where that can fail: it is written to a file or a pipe. The purchase ends once it is given, and stays open
   * when this throws, so that the next call gets the answer.
   */
  readonly handOver?: ((paid: PaidAnswer) => Promise<void>) | undefined
  /** Whether the caller still waits. What nobody waits for ends no purchase: the next call gets it. @default always */
  readonly isWanted?: (() => boolean) | undefined
  /** Tells the buyer what is done, and why. */
  readonly say: (sentence: string) => void
}

/**
 * Ends the purchase of an answer that its caller gets. What was paid for is not withheld because it cannot be recorded.
 *
 * @throws what `handOver` throws
 */
export async function deliver(
  held: HeldPurchase,
  paid: PaidAnswer,
  { budget, onPaid, handOver, isWanted = () => true, say }: DeliverOptions,
): Promise<PaidAnswer> {
  const record = (isOver: () => boolean) => recorded(held, paid, { budget, onPaid, say, isOver })
  try {
    await handOver?.(paid)
  } catch (error) {
    await record(() => false)
    throw error
  }
  await record(isWanted)
  return paid
}

interface Recording extends Pick<DeliverOptions, 'budget' | 'onPaid' | 'say'> {
  readonly isOver: () => boolean
}

/** Never throws. */
async function recorded(
  held: HeldPurchase,
  paid: PaidAnswer,
  { budget, onPaid, say, isOver }: Recording,
): Promise<void> {
  try {
    await onPaid?.(paid)
    budget.answered(held, paid.receipt, isOver())
  } catch (error) {
    say(`the payment was made, and its answer could not be recorded: ${messageOf(error)}`)
    try {
      budget.purchases.leave(held)
    } catch {
      // The file cannot be written. The end of this process leaves it too.
    }
  }
}
