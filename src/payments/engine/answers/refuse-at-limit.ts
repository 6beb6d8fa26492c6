import type { Metrics } from '../../../platform/telemetry/metrics/metrics.ts'
import { isReasonCode } from '../../protocol/reasons.ts'
import type { Payment } from '../../schemes/scheme.ts'
import type { SettleResult } from '../../usage/outcome.ts'
import type { Refusal } from '../limits/limit.ts'
import type { ServedNetwork } from '../network/served-network.ts'
import { type NotSettled, refusedPayment } from './settle-answer.ts'

interface LimitedRequest {
  readonly network: ServedNetwork
  readonly payment: Payment
}

/** Counts a settlement that a limit refuses; returns the result of its request. */
export function refuseAtLimit(
  metrics: Metrics,
  limited: LimitedRequest,
  refusal: Refusal,
): SettleResult {
  const { payment } = limited
  const result = refusedPayment(payment, countLimit(metrics, limited, refusal))
  return refusal.limit.isCallersFault ? { ...result, isCallersFault: true } : result
}

/** Counts it; returns why it is refused. */
export function countLimit(
  metrics: Metrics,
  { network: { id: network, counters }, payment }: LimitedRequest,
  refusal: Refusal,
): NotSettled {
  const { metric, healthCount } = refusal.limit
  if (metric?.name === 'notAdmitted') metrics.notAdmitted.inc({ network })
  if (metric?.name === 'payerRefusals') metrics.payerRefusals.inc({ network, ...metric.labels })
  if (healthCount) counters.count(healthCount)
  return answerOfLimit(payment, refusal)
}

export function answerOfLimit(
  { scheme, phase }: Payment,
  { limit: { code }, message }: Refusal,
): NotSettled {
  const { codes } = scheme.rules[phase]
  return {
    code: isReasonCode(code) ? code : codes[code],
    ...(message !== undefined && { message }),
  }
}
