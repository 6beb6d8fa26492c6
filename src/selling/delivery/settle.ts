import type { SettleResponse } from '@x402/core/types'
import { maySettleLater } from '../../payments/protocol/unsettled.ts'
import type { Clock } from '../../platform/core/time/clock.ts'

/** A facilitator answers within about 25 s, so that all repeats end after the last second in which the payment is valid. */
const REPEATS = 5
const PAUSE_MS = 1_000

interface SettleOptions {
  readonly network: SettleResponse['network']
  readonly clock: Clock
  readonly onError: (error: unknown) => void
}

/**
 * Settles until the facilitator has given its verdict: a lost answer and a pending settlement may both be a payment, and a
 * repeat of the same request settles nothing twice. Never throws; without a verdict the reason is `settlement_pending`.
 */
export async function settleToVerdict(
  settle: () => Promise<SettleResponse>,
  { network, clock, onError }: SettleOptions,
): Promise<SettleResponse> {
  let last: SettleResponse = {
    success: false,
    errorReason: 'settlement_pending',
    errorMessage: 'The facilitator has not answered yet.',
    transaction: '',
    network,
  }
  for (let left = REPEATS; ; left--) {
    const answer = await settle().catch((error: unknown) => {
      onError(error)
      return verdictIn(error, network)
    })
    if (answer) last = answer
    if ((answer && isVerdict(answer)) || left === 0) return last
    await clock.sleep(PAUSE_MS)
  }
}

const isVerdict = ({ success, errorReason = '' }: SettleResponse): boolean =>
  success || !maySettleLater(errorReason)

/** The `SettleError` of the stock server: a facilitator's answer with another status than 200, or the refusal of a hook. */
function verdictIn(error: unknown, network: SettleOptions['network']): SettleResponse | undefined {
  if (!(error instanceof Error) || !('errorReason' in error)) return undefined
  const { errorReason, errorMessage, transaction, payer } = error as Error & Partial<SettleResponse>
  if (typeof errorReason !== 'string') return undefined
  return {
    success: false,
    errorReason,
    ...(typeof errorMessage === 'string' && { errorMessage }),
    ...(typeof payer === 'string' && { payer }),
    transaction: typeof transaction === 'string' ? transaction : '',
    network,
  }
}
