/* The output of `svc pay`. */

import { formatPrice } from '../../../buying/offer/usdc.ts'
import { type PayFailure, payFailures } from '../../../buying/outcome/pay-failure.ts'
import type { Metered, PaidCall } from '../../../buying/pay/timed-call.ts'
import type { QuoteFacts } from '../../../buying/quote/quote-facts.ts'
import type { ShownAnswer } from '../../../buying/seller/shown-answer.ts'
import { isMetered } from '../../../payments/protocol/schemes.ts'
import type { NetworkId } from '../../../platform/core/caip2.ts'
import { cleanBlock } from '../../../platform/core/text/hostile-text.ts'
import { personTable } from '../../command-line/person-table.ts'

/** Amounts are strings. */
export const jsonOf = (value: unknown): string =>
  JSON.stringify(value, (_, member) => (typeof member === 'bigint' ? String(member) : member))

export function shownCall(call: PaidCall, json: boolean): string {
  if (json) return `${jsonOf({ paid: true, ...call })}\n`
  const { settlement, accepted, metered, receipt } = call
  const network = receipt.network as NetworkId
  const lines = [bodyOf(call), ...(metered ? [meterLine(network, accepted.asset, metered)] : [])]
  return `${[...lines, settlement.transaction].join('\n')}\n`
}

/** A seller could move the cursor of a terminal; a file or a program gets the text as it came. */
function bodyOf({ body, bodyBase64, receipt }: PaidCall): string {
  if (bodyBase64 !== undefined) {
    const bytes = Buffer.from(bodyBase64, 'base64').length
    return `(${bytes} bytes of ${receipt.method} ${receipt.url} that are no text: --json has them in bodyBase64)`
  }
  return process.stdout.isTTY ? cleanBlock(body) : body
}

/** A notice about an answer that was cut. */
export const cutNotice = ({ isCut, body }: PaidCall): string | undefined =>
  isCut && `the answer is longer than the limit, and was cut after ${Buffer.byteLength(body)} bytes`

function meterLine(network: NetworkId, asset: string, { ceiling, used }: Metered): string {
  const amount = (units: bigint) => formatPrice(network, asset, units)
  const paid =
    used === null ? 'used and paid: the answer does not say' : `used and paid ${amount(used)}`
  return `ceiling ${amount(ceiling)}, ${paid}`
}

export function shownQuote(facts: QuoteFacts, json: boolean): string {
  if (json) return `${jsonOf({ paid: false, quote: facts })}\n`
  const { method, url, scheme, network, asset, amount, payTo, maxTimeoutSeconds, seller } = facts
  const price = formatPrice(network as NetworkId, asset, BigInt(amount))
  const table = personTable(`${method} ${url}`, [
    [isMetered(scheme) ? 'ceiling' : 'price', price],
    ['scheme', scheme],
    ['pay to', payTo],
    ['network', network],
    ['token', asset],
    ['valid for', `${maxTimeoutSeconds} s after it is signed`],
    ...facts.others.map(
      (other) =>
        [
          'or',
          `${formatPrice(network as NetworkId, asset, BigInt(other.amount))}, ${other.scheme}`,
        ] as const,
    ),
  ])
  const words = seller.description === null ? '' : fenced('the seller says', seller.description)
  return `${table}${words}`
}

/** The sentence, what to do, and the seller's own words, for standard error. */
export function shownFailure({ message, hint, answer }: PayFailure): string {
  const lines = [`svc pay: ${message}.`, ...(hint === undefined ? [] : [hint])]
  return `${lines.join('\n')}\n${answer ? shownBody(answer) : ''}`
}

export function failureJson(failure: PayFailure): string {
  const { code, message, hint, transaction, answer, receipt } = failure
  const { paid } = payFailures[code]
  return `${jsonOf({ paid, error: code, message, hint, transaction, answer, receipt })}\n`
}

function shownBody({ status, text, isCut }: ShownAnswer): string {
  if (text.trim() === '') return ''
  return fenced(`the seller's answer (${status}${isCut ? ', cut' : ''})`, text)
}

/** Each line marked, so that no text of a seller looks like one of this program. */
const fenced = (title: string, text: string): string =>
  `${title}:\n${text
    .split('\n')
    .map((line) => `  | ${line}`.trimEnd())
    .join('\n')}\n`
