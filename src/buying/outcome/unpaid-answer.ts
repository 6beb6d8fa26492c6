/** Explains why a URL cannot be paid, from its first answer. */
import type { NetworkId } from '../../platform/core/caip2.ts'
import { connectionProblem, TRUST_HINT } from '../../platform/core/errors/connection-problem.ts'
import { isMcpToolUrl } from '../../platform/core/mcp-tool-url.ts'
import { cleanLine, cutTo } from '../../platform/core/text/hostile-text.ts'
import { RefusedUrl, type SellerAnswer, SellerTooSlow } from '../seller/seller-http.ts'
import { shownAnswer, textOf } from '../seller/shown-answer.ts'
import { answeredWith } from './answered-with.ts'
import { lookBeforePayingAgain } from './paid-answer.ts'
import { PayFailure, type PayFailureCode } from './pay-failure.ts'

const NOTHING_PAID = 'Nothing was paid.'

/**
 * A call without an answer. What carried a signed payment has an unknown outcome, whatever the error says: no error of a
 * connection proves that its server got nothing.
 *
 * @param payer of the signed payment that the request carried; absent before one is signed
 */
export function failureWithoutAnswer(
  url: string,
  error: unknown,
  payer: string | undefined,
): PayFailure {
  const cause = error
  const { code, says, hint } = explained(error)
  if (payer === undefined) return new PayFailure(code, `${url} ${says}`, { hint, cause })
  const look = lookBeforePayingAgain(payer)
  return new PayFailure('outcome_unknown', `${url} ${says}`, { hint: look, cause })
}

function explained(error: unknown): {
  readonly code: PayFailureCode
  readonly says: string
  readonly hint: string
} {
  if (error instanceof RefusedUrl) {
    const says = `may not be called: ${error.message.replace(/\.$/, '')}`
    return { code: 'unsafe_address', says, hint: NOTHING_PAID }
  }
  if (error instanceof SellerTooSlow) {
    return { code: 'timed_out', says: error.message, hint: NOTHING_PAID }
  }
  const { kind, says } = connectionProblem(error)
  if (kind === 'untrusted') return { code: 'untrusted', says, hint: TRUST_HINT }
  const hint = `${NOTHING_PAID} Check the address, and that its server runs.`
  return { code: 'unreachable', says, hint }
}

/** Any answer but a 402. */
export function noPrice(url: string, answer: SellerAnswer): PayFailure {
  const { status, headers } = answer
  const target = headers.get('location')
  if (status >= 300 && status < 400 && target !== null) {
    return new PayFailure('redirected', `${url} redirects to ${short(target)}`, {
      hint: 'Give that address instead, if you trust it: a payment follows no redirect.',
    })
  }
  const shown = shownAnswer(answer)
  const type = shown.contentType === null ? '' : ` (${shown.contentType})`
  const says = `${url} ${answeredWith(url, status)}${type} and asked for no payment`
  return new PayFailure('no_price', says, { hint: noPriceHint(url, shown.text), answer: shown })
}

const noPriceHint = (url: string, text: string): string => {
  if (isMcpToolUrl(url)) {
    return 'Check the name of the tool and its arguments: a paid tool asks for its price first.'
  }
  return text.includes('"jsonrpc"')
    ? 'This is an MCP server: name a tool of it, as in mcp+https://api.example/mcp#tool.'
    : 'Check the address and --method: a paid call is answered 402 with its price first.'
}

interface Others {
  readonly network: NetworkId
  /** The networks or schemes that the seller offers instead. */
  readonly others: readonly string[]
}

/** Version 1 has the price in the body, and takes the payment in the header X-PAYMENT. */
const VERSION_1_HINT =
  'Nothing was paid. Pay with a client of version 1, or ask the seller for version 2, which names its price in the header PAYMENT-REQUIRED.'

/** A 402 without an offer that this client can pay; without `offered` it could not be read. */
export function notPayable(url: string, answer: SellerAnswer, offered?: Others): PayFailure {
  if (offered) {
    const { network, others } = offered
    const list = others.length === 0 ? 'nothing' : others.slice(0, 5).map(short).join(', ')
    const says = `${url} offers ${list}, and this client pays exact and upto on ${network}`
    return new PayFailure('not_payable', says, { hint: NOTHING_PAID })
  }
  const isVersion1 = versionOf(answer) === 1
  const says = isVersion1
    ? 'asks for a payment of x402 version 1, and this client pays version 2'
    : `${answeredWith(url, 402)} without a price that an x402 client can read`
  const hint = isVersion1 ? VERSION_1_HINT : NOTHING_PAID
  return new PayFailure('not_payable', `${url} ${says}`, { hint, answer: shownAnswer(answer) })
}

/** Cuts a seller's text so that it fits into a sentence. */
const short = (text: string): string => cutTo(200, cleanLine(text))

/** Version 1 has the price in the body. */
function versionOf({ body }: SellerAnswer): unknown {
  try {
    return Object(JSON.parse(textOf(body, false) ?? '')).x402Version
  } catch {
    return undefined
  }
}
