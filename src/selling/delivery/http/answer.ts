import {
  decodePaymentRequiredHeader,
  decodePaymentResponseHeader,
  encodePaymentResponseHeader,
} from '@x402/core/http'
import type { SettleResponse } from '@x402/core/types'
import { provesUnsent } from '../../../payments/protocol/unsettled.ts'

/** What a server answers before the body. Names of headers are in lower case. */
export interface AnswerHead {
  readonly status: number
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
}

/** A whole answer. */
export interface Answer extends AnswerHead {
  readonly body: Uint8Array
}

/**
 * What an answer says of the payment of its request.
 * - `delivered`: it was settled, and this answer has the goods.
 * - `open`: it was settled, or may be, and this answer has no goods.
 * - `unpaid`: this request did not settle it.
 */
export type Outcome = 'delivered' | 'open' | 'unpaid'

/** Of x402 version 2, and of version 1. */
const RECEIPTS = ['payment-response', 'x-payment-response'] as const
const PAYMENT_REQUIRED = 'payment-required'

const isReceipt = (name: string) => RECEIPTS.some((each) => each === name)

export function outcomeOf(head: AnswerHead): Outcome {
  const { status } = head
  const receipt = decoded(head, RECEIPTS, decodePaymentResponseHeader)
  if (receipt?.success === true) return status < 400 ? 'delivered' : 'open'
  // A stock server writes every failure of its facilitator here, also of one that it did not reach.
  if (receipt) return provesUnsent(receipt.errorReason ?? '') ? 'unpaid' : 'open'
  // It was refused before it was settled: whatever became of it earlier, not for this request.
  if (status === 402) {
    return decoded(head, [PAYMENT_REQUIRED], decodePaymentRequiredHeader) ? 'unpaid' : 'open'
  }
  // A stock server that cannot reach its facilitator answers 502, whether it verified or settled.
  return status >= 500 ? 'open' : 'unpaid'
}

/**
 * Set-Cookie belongs to one session, the next ones to one connection (RFC 9110, section 7.6.1), the two after them to one sending. The
 * last one is for the stock server alone.
 */
const notKept = new Set([
  'set-cookie',
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'content-length',
  'date',
  'settlement-overrides',
])

/** The answer for those who repeat the request, as JSON: its body in base64. */
export interface KeptAnswer extends AnswerHead {
  readonly body: string
}

export const keptAnswer = ({ status, headers, body }: Answer): KeptAnswer => ({
  status,
  headers: headers.filter(([name]) => !notKept.has(name)),
  body: Buffer.from(body).toString('base64'),
})

export const sentAgain = ({ body, ...head }: KeptAnswer): Answer => ({
  ...head,
  body: Buffer.from(body, 'base64'),
})

/** What a stock server makes of an answer once it has settled the payment. */
export function withReceipt(
  { headers, ...answer }: KeptAnswer,
  receipt: SettleResponse,
): KeptAnswer {
  const hasCacheControl = headers.some(([name]) => name === 'cache-control')
  return {
    ...answer,
    headers: [
      ...headers,
      ...(hasCacheControl ? [] : [['cache-control', 'private'] as const]),
      receiptHeader(receipt),
    ],
  }
}

/** What a stock server answers where the payment could not be settled. */
export const notSettled = (receipt: SettleResponse): Answer =>
  jsonAnswer(402, {}, [receiptHeader(receipt)])

const receiptHeader = (receipt: SettleResponse) =>
  [RECEIPTS[0], encodePaymentResponseHeader(receipt)] as const

/** In place of an answer that is not kept: the receipt, and why there is no more. */
export const receiptAlone = ({ headers }: AnswerHead): Answer =>
  jsonAnswer(
    410,
    {
      error: 'answer_not_kept',
      message:
        'The payment was settled, and its answer was sent once. It was too large or a stream, so that only its receipt is kept.',
    },
    // A page of another origin may read the receipt too.
    headers.filter(([name]) => isReceipt(name) || name.startsWith('access-control-')),
  )

export function jsonAnswer(
  status: number,
  content: object,
  headers: AnswerHead['headers'] = [],
): Answer {
  const own = [
    ['content-type', 'application/json; charset=utf-8'],
    ['cache-control', 'no-store'],
  ] as const
  const body = new TextEncoder().encode(JSON.stringify(content))
  return { status, headers: [...own, ...headers], body }
}

/** The first of these headers; undefined without one that can be read. */
function decoded<T>(
  { headers }: AnswerHead,
  names: readonly string[],
  decode: (header: string) => T,
): T | undefined {
  const [, header] = headers.find(([name]) => names.includes(name)) ?? []
  if (header === undefined) return undefined
  try {
    return decode(header)
  } catch {
    return undefined
  }
}
