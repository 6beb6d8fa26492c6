import { describe, expect, test } from 'vitest'
import {
  PAYMENT_IDENTIFIER,
  paymentIdentifierOf,
  requiresPaymentIdentifier,
} from '../../../../src/payments/protocol/payment-identifier.ts'

const withInfo = (info: unknown) => ({ [PAYMENT_IDENTIFIER]: { info, schema: {} } })

describe('the id of a payment', () => {
  test.each(['a'.repeat(16), 'Z-9_'.repeat(32)])('%s is one', (id) => {
    expect(paymentIdentifierOf(withInfo({ required: false, id }))).toEqual({ kind: 'given', id })
  })

  test.each(['a'.repeat(15), 'a'.repeat(129), `${'a'.repeat(16)} `, 'ä'.repeat(16), '', 7, {}])(
    '%j is none',
    (id) => expect(paymentIdentifierOf(withInfo({ id }))).toEqual({ kind: 'malformed' }),
  )

  test.each([
    undefined,
    null,
    'text',
    [],
    {},
    withInfo(undefined),
    withInfo({}),
    withInfo({ id: null }),
  ])('%j names none', (extensions) =>
    expect(paymentIdentifierOf(extensions)).toEqual({ kind: 'absent' }),
  )
})

test.each([
  [withInfo({ required: true }), true],
  [withInfo({ required: false }), false],
  [withInfo({ required: 'true' }), false],
  [{}, false],
])('an offer with the extensions %j: an id is required %j', (extensions, required) => {
  expect(requiresPaymentIdentifier(extensions)).toBe(required)
})
