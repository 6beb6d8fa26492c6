import type { PaymentRequirements, SettleResponse } from '@x402/core/types'
import { provesUnsent } from '../../payments/protocol/unsettled.ts'
import type { Attempt } from '../delivery/attempt.ts'
import type { Begun, Refusal } from '../delivery/deliveries.ts'
import { type ToolResult, withReceipt } from './transport.ts'

/** What a tool made, which is not paid for yet. JSON. */
export interface MadeResult {
  /** What the buyer accepted. */
  readonly price: PaymentRequirements
  readonly result: ToolResult
  /** What is charged in place of the price. Base units. */
  readonly amount?: string | undefined
}

export type Outcome =
  | { readonly kind: 'answered'; readonly result: ToolResult }
  | {
      readonly kind: 'refused'
      readonly reason: string
      /** What the facilitator said of the settlement. */
      readonly receipt?: SettleResponse | undefined
    }

export interface Work {
  /** Verifies the payment and runs the tool: either is free of charge until `settle` has succeeded. */
  make(limit: AbortSignal): Promise<MadeResult | Outcome>
  settle(made: MadeResult): Promise<SettleResponse>
}

type ToolAttempt = Attempt<MadeResult, ToolResult>

const reasons: Readonly<Record<Refusal, string>> = {
  payment_conflict: 'payment_used_for_another_call',
  identifier_conflict: 'payment_identifier_conflict',
  in_progress: 'payment_in_progress',
  store_unavailable: 'delivery_store_unavailable',
}

/** Does for a call what has not been done for its payment yet. Throws what `work.make` throws, and before anything is paid what the store throws. */
export async function deliverOnce(
  begun: Begun<MadeResult, ToolResult>,
  work: Work,
): Promise<Outcome> {
  switch (begun.kind) {
    case 'refused':
      return { kind: 'refused', reason: reasons[begun.reason] }
    case 'answered':
      return { kind: 'answered', result: begun.answer }
    case 'made':
      return settle(begun.attempt, work, begun.made)
    case 'new':
      return make(begun.attempt, work)
  }
}

async function make(attempt: ToolAttempt, work: Work): Promise<Outcome> {
  try {
    const made = await beforeLost(attempt, work.make(attempt.lost))
    if ('kind' in made) {
      await attempt.release('unpaid')
      return made
    }
    if (await attempt.keep(made)) return settle(attempt, work, made)
  } catch (error) {
    await attempt.release('unpaid')
    throw error
  }
  await attempt.release('open')
  return { kind: 'refused', reason: reasons.in_progress }
}

/** Throws once another process may run the tool. */
function beforeLost<T>({ lost }: ToolAttempt, work: Promise<T>): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  const fail = () => reject(lost.reason)
  if (lost.aborted) fail()
  lost.addEventListener('abort', fail, { once: true })
  work.then(resolve, reject).finally(() => lost.removeEventListener('abort', fail))
  return promise
}

async function settle(attempt: ToolAttempt, work: Work, made: MadeResult): Promise<Outcome> {
  const receipt = await work.settle(made)
  const { success, errorReason: reason = 'settlement_failed' } = receipt
  if (!success) {
    await attempt.release(provesUnsent(reason) ? 'unpaid' : 'open')
    return { kind: 'refused', reason, receipt }
  }
  const result = withReceipt(made.result, receipt)
  await attempt.answer(result)
  return { kind: 'answered', result }
}
