import { type Answer, jsonAnswer } from './answer.ts'

/** The answers to a request that is not served, by their code. */
const refusals = {
  payment_identifier_required: {
    status: 400,
    message: 'Give the payment an id, in the extension payment-identifier.',
  },
  payment_identifier_invalid: {
    status: 400,
    message: 'An id of a payment has 16 to 128 letters, digits, hyphens and underscores.',
  },
  payment_identifier_conflict: {
    status: 409,
    message:
      'The payment or its id belongs to another request. A repeat must have the same payment, method, URL and body.',
  },
  request_too_large: {
    status: 413,
    message: 'The body is larger than this server compares with that of a repeat.',
  },
  // Not 409, which says that a repeat is of no use, and not 425, which is about early data of TLS (RFC 8470).
  payment_in_progress: {
    status: 503,
    retryAfterSeconds: 2,
    message:
      'The first request with this payment is still being served. Send the same request again.',
  },
  delivery_store_unavailable: {
    status: 503,
    retryAfterSeconds: 5,
    message:
      'The server cannot say whether it answered this payment before. Send the same request again.',
  },
} as const satisfies Record<
  string,
  { readonly status: number; readonly message: string; readonly retryAfterSeconds?: number }
>

export type RefusalCode = keyof typeof refusals

export function refusal(error: RefusalCode): Answer {
  const { status, message, ...wait } = refusals[error]
  const retry =
    'retryAfterSeconds' in wait ? [['retry-after', String(wait.retryAfterSeconds)] as const] : []
  return jsonAnswer(status, { error, message }, retry)
}
