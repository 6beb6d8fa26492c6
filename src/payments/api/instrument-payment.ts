import type { FastifyRequest } from 'fastify'
import { inLogScope, logFields } from '../../platform/telemetry/logs/log-scope.ts'
import type { Logger } from '../../platform/telemetry/logs/logger.ts'
import { stopwatch } from '../../platform/telemetry/traces/stopwatch.ts'
import type { Tracer } from '../../platform/telemetry/traces/tracer.ts'
import type { PaymentRequest, SettleResponse, VerifyResponse } from '../protocol/protocol.ts'

export interface PaymentTelemetry {
  readonly log: Logger
  readonly tracer: Tracer
}

/** The outcome of a payment, as metrics, logs and spans name it. */
export interface PaymentOutcome {
  readonly outcome: 'valid' | 'invalid' | 'success' | 'failure' | 'pending'
  /** The reason code; empty when valid or settled. */
  readonly reason: string
  readonly payer?: string
  readonly hash?: string
}

export interface ReceivedPayment {
  readonly request: Pick<FastifyRequest, 'id' | 'headers' | 'log'>
  readonly payment: PaymentRequest
}

/**
 * Runs one payment. All its log lines carry the ids of the request and the settlement, its spans belong
 * to the caller's trace, and its outcome is logged in one line: of a settlement at info, of a
 * verification at debug. An error is logged where the request is answered, with the settlement's id.
 */
export function instrumentPayment<Answer extends VerifyResponse | SettleResponse>(
  { log, tracer }: PaymentTelemetry,
  operation: 'verify' | 'settle',
  { request, payment }: ReceivedPayment,
  work: () => Promise<Answer>,
): Promise<Answer> {
  const seconds = stopwatch()
  const level = operation === 'settle' ? 'info' : 'debug'
  const logged = async () => {
    try {
      const answer = await work()
      const outcome = paymentOutcome(answer)
      tracer.note({ ...outcome })
      const ms = Math.round(seconds() * 1_000)
      log[level]({ operation, ...outcome, ...termsOf(payment), ms }, 'Payment answered')
      return answer
    } finally {
      const { settlement } = logFields()
      if (settlement !== undefined) {
        tracer.note({ settlement })
        request.log = request.log.child({ settlement })
      }
    }
  }
  const traced = () => tracer.request(operation, request.headers, logged)
  return inLogScope({ requestId: request.id }, traced)
}

/** Longer than any address and any amount: the caller of a request chooses these texts. */
const MAX_TERM_LENGTH = 80

/** The requested payment: network, asset, amount and payee. */
function termsOf({ paymentRequirements: { network, asset, amount, payTo } }: PaymentRequest) {
  const terms = Object.entries({ network, asset, amount, payTo })
  return Object.fromEntries(
    terms.flatMap(([name, text]) => (text ? [[name, text.slice(0, MAX_TERM_LENGTH)]] : [])),
  )
}

export function paymentOutcome(answer: VerifyResponse | SettleResponse): PaymentOutcome {
  const payer = answer.payer !== undefined && { payer: answer.payer }
  if ('isValid' in answer) {
    return answer.isValid
      ? { outcome: 'valid', reason: '', ...payer }
      : { outcome: 'invalid', reason: answer.invalidReason, ...payer }
  }
  const hash = answer.transaction !== '' && { hash: answer.transaction }
  if (answer.success) return { outcome: 'success', reason: '', ...payer, ...hash }
  const reason = answer.errorReason
  const outcome = reason === 'settlement_pending' ? 'pending' : 'failure'
  return { outcome, reason, ...payer, ...hash }
}
