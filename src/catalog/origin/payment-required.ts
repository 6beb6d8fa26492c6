import type { GuardedAnswer } from '../../platform/http/guarded-fetch/guarded-fetch.ts'

/** `PaymentRequired` of x402 version 2, as far as the catalog reads it. */
export interface PaymentRequired {
  readonly resource: unknown
  readonly accepts: readonly unknown[]
  readonly extensions: Readonly<Record<string, unknown>>
}

type Read =
  | { readonly ok: true; readonly required: PaymentRequired }
  | { readonly ok: false; readonly reason: string }

/** Reads the header PAYMENT-REQUIRED of a 402 response or, without a readable one, its body. */
export function readPaymentRequired({
  headers,
  body,
}: Pick<GuardedAnswer, 'headers' | 'body'>): Read {
  const header = headers['payment-required']
  const fromHeader = typeof header === 'string' ? jsonOf(Buffer.from(header, 'base64')) : undefined
  const required = fromHeader ?? jsonOf(body)
  if (!required) {
    const where = header === undefined ? 'The 402 response has no header' : 'The header'
    const what = header === undefined ? ', and its body is no JSON object.' : ' cannot be read.'
    return { ok: false, reason: `${where} PAYMENT-REQUIRED${what}` }
  }
  const { x402Version, accepts, resource, extensions } = required
  if (x402Version !== 2) {
    const found = typeof x402Version === 'number' ? `version ${x402Version}` : 'no version'
    return { ok: false, reason: `The 402 response names ${found} of x402, expected version 2.` }
  }
  if (!Array.isArray(accepts)) {
    return { ok: false, reason: 'The 402 response has no array "accepts".' }
  }
  return {
    ok: true,
    required: { resource, accepts, extensions: isObject(extensions) ? extensions : {} },
  }
}

function jsonOf(bytes: Uint8Array): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(bytes).toString())
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
