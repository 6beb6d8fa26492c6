import type { PaymentPayload } from '@x402/core/types'
import { expect } from 'vitest'

/** What a call of a tool has beside its arguments. */
export const paying = (payment: unknown) => ({ meta: { 'x402/payment': payment } })

export const refusal = (error: unknown) => ({
  isError: true,
  structuredContent: { x402Version: 2, error },
})

type Row = readonly [name: string, payment: unknown, error: unknown]

/** What a buyer may send in place of a good payment, and the reason with which it is refused. */
export function hostilePayments(good: PaymentPayload, expired: PaymentPayload): readonly Row[] {
  const accepted = (change: object) => ({ ...good, accepted: { ...good.accepted, ...change } })
  const nested = (levels: number): object => (levels === 0 ? {} : { in: nested(levels - 1) })
  const identified = (id: unknown) => ({
    ...good,
    extensions: { 'payment-identifier': { info: { id } } },
  })
  return [
    ['JSON in a string', JSON.stringify(good), 'payment_malformed'],
    ['a header', Buffer.from(JSON.stringify(good)).toString('base64'), 'payment_malformed'],
    ['a number', 1, 'payment_malformed'],
    ['true', true, 'payment_malformed'],
    ['an array', [good], 'payment_malformed'],
    ['an empty object', {}, 'payment_malformed'],
    ['of version 1', { ...good, x402Version: 1 }, 'payment_malformed'],
    ['without terms', { ...good, accepted: undefined }, 'payment_malformed'],
    ['terms in an array', { ...good, accepted: [good.accepted] }, 'payment_malformed'],
    ['too large', { ...good, extensions: { x: 'x'.repeat(70_000) } }, 'payment_too_large'],
    ['too deep', { ...good, extensions: nested(100) }, 'payment_too_large'],
    [
      'of another tool',
      { ...good, resource: { ...good.resource, url: 'mcp://tool/tides' } },
      'payment_for_another_resource',
    ],
    ['another price', accepted({ amount: '1' }), 'payment_for_other_terms'],
    ['another network', accepted({ network: 'stellar:pubnet' }), 'payment_for_other_terms'],
    ['another payee', accepted({ payTo: good.accepted.asset }), 'payment_for_other_terms'],
    ['another asset', accepted({ asset: good.accepted.payTo }), 'payment_for_other_terms'],
    ['an unknown scheme', accepted({ scheme: 'stream' }), 'payment_for_other_terms'],
    ['expired', expired, expect.stringMatching(/^invalid_/)],
    ['another scheme', accepted({ scheme: 'upto' }), 'payment_for_other_terms'],
    ['a longer validity', accepted({ maxTimeoutSeconds: 900 }), 'payment_for_other_terms'],
    ['an empty payload', { ...good, payload: {} }, expect.stringMatching(/^invalid_/)],
    [
      'a payload of noise',
      { ...good, payload: { transaction: 'AAAA' } },
      expect.stringMatching(/^invalid_/),
    ],
    ['a short id', identified('short'), 'payment_identifier_malformed'],
    ['an id with a space', identified('pay 7d5d747be160e280504'), 'payment_identifier_malformed'],
    ['an id in an array', identified(['pay_7d5d747be160e280504']), 'payment_identifier_malformed'],
  ]
}

/** Three calls of a tool, two of them alike, which all have this payment. */
export const callsWith = (payment: PaymentPayload) =>
  ['Oslo', 'Bergen', 'Oslo'].map((city) => ({
    method: 'tools/call',
    params: { name: 'forecast', arguments: { city }, _meta: { 'x402/payment': payment } },
  }))
