/** What the first answer of a URL says when the stock client cannot pay for it. */
import { decodePaymentRequiredHeader } from '@x402/core/http'
import type { NetworkId } from '../core/caip2.ts'
import { connectionProblem, TRUST_HINT } from '../core/connection-problem.ts'
import { printable } from '../core/printable.ts'
import { lookBeforePayingAgain } from './paid-answer.ts'
import { PayFailure } from './pay-failure.ts'

/** @param payer of the signed payment that the request carried; absent before one is signed */
export function unsentFailure(url: string, error: unknown, payer: string | undefined): PayFailure {
  const { kind, says, isUnsent } = connectionProblem(error)
  const cause = error
  if (payer !== undefined && !isUnsent) {
    const hint = lookBeforePayingAgain(payer)
    return new PayFailure('outcome_unknown', `${url} ${says}`, { hint, cause })
  }
  if (kind === 'untrusted') {
    return new PayFailure('untrusted', `${url} ${says}`, { hint: TRUST_HINT, cause })
  }
  return new PayFailure('unreachable', `${url} ${says}`, {
    hint: 'Nothing was paid. Check the address, and that its server runs.',
    cause,
  })
}

/** @param error why the stock client cannot read the price of a 402 */
export async function unpaidFailure(
  url: string,
  network: NetworkId,
  response: Response | undefined,
  error?: unknown,
): Promise<PayFailure> {
  if (!response) return new PayFailure('not_payable', `${url} cannot be paid`, { cause: error })
  const { status, headers } = response
  if (status === 402) return notPayable(url, network, response, error)
  const target = headers.get('location')
  if (status >= 300 && status < 400 && target !== null) {
    return new PayFailure('redirected', `${url} redirects to ${printable(target)}`, {
      hint: 'Give that address instead, if you trust it: a payment follows no redirect.',
    })
  }
  const type = headers.get('content-type')?.split(';')[0]
  return new PayFailure(
    'no_price',
    `${url} answered ${status}${type ? ` (${printable(type)})` : ''} and asked for no payment`,
    { hint: 'Check the address and --method: a paid call is answered 402 with its price first.' },
  )
}

async function notPayable(url: string, network: NetworkId, response: Response, cause: unknown) {
  const header = response.headers.get('payment-required')
  const offers = header === null ? undefined : offersOf(header)
  if (offers) {
    const list = offers.length === 0 ? 'nothing' : offers.join(', ')
    const says = `${url} offers ${list}, and this client pays exact and upto on ${network}`
    return new PayFailure('not_payable', says, { cause })
  }
  const version = await versionOf(response)
  const says =
    version === 1
      ? 'asks for a payment of x402 version 1, and this client pays version 2'
      : 'answered 402 without a price that an x402 client can read'
  return new PayFailure('not_payable', `${url} ${says}`, { cause })
}

function offersOf(header: string): readonly string[] | undefined {
  try {
    const { accepts } = decodePaymentRequiredHeader(header)
    return accepts.map(({ scheme, network }) => printable(`${scheme} on ${network}`))
  } catch {
    return undefined
  }
}

/** Version 1 has the price in the body. */
async function versionOf(response: Response): Promise<unknown> {
  try {
    const body: unknown = await response.json()
    return Object(body).x402Version
  } catch {
    return undefined
  }
}
