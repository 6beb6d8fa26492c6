import type { FastifyRequest } from 'fastify'
import { inLogScope, logFields } from '../telemetry/log-scope.ts'
import type { Logger } from '../telemetry/logger.ts'
import { stopwatch } from '../telemetry/stopwatch.ts'
import type { Tracer } from '../telemetry/tracer.ts'
import type { SettleResponse, VerifyResponse } from '../x402/protocol.ts'

export interface PaymentObserver {
  readonly log: Logger
  readonly tracer: Tracer
}

/** The end of a payment in the words of metrics, logs and spans. */
export interface Verdict {
  readonly outcome: 'valid' | 'invalid' | 'success' | 'failure' | 'pending'
  /** The code; empty for what is valid or settled. */
  readonly reason: string
  readonly payer?: string
  readonly hash?: string
}

/**
 * Runs one payment so that all its lines name the request and the settlement, its spans are in the
 * caller's trace, and its end is one line: a settlement's at info, a verification's at debug. What is
 * thrown is logged by whoever answers the request, and names the settlement there.
 */
export function observePayment<Answer extends VerifyResponse | SettleResponse>(
  { log, tracer }: PaymentObserver,
  operation: 'verify' | 'settle',
  request: Pick<FastifyRequest, 'id' | 'headers' | 'log'>,
  work: () => Promise<Answer>,
): Promise<Answer> {
  const seconds = stopwatch()
  const level = operation === 'settle' ? 'info' : 'debug'
  const observed = async () => {
    try {
      const answer = await work()
      const verdict = verdictOf(answer)
      tracer.note({ ...verdict })
      log[level]({ operation, ...verdict, ms: Math.round(seconds() * 1_000) }, 'Payment answered')
      return answer
    } finally {
      const { settlement } = logFields()
      if (settlement !== undefined) {
        tracer.note({ settlement })
        request.log = request.log.child({ settlement })
      }
    }
  }
  const traced = () => tracer.request(operation, request.headers, observed)
  return inLogScope({ requestId: request.id }, traced)
}

export function verdictOf(answer: VerifyResponse | SettleResponse): Verdict {
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
