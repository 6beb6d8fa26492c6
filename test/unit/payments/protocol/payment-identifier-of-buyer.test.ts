import { expect, test } from 'vitest'
import {
  isPaymentIdentifier,
  newPaymentIdentifier,
  offersPaymentIdentifier,
  paymentIdentifierOf,
  withPaymentIdentifier,
} from '../../../../src/payments/protocol/payment-identifier.ts'

const offered = {
  other: { info: 1 },
  'payment-identifier': { info: { required: true }, schema: { type: 'object' } },
}

test('a payment echoes the extension of the offer, and names its id in it', () => {
  const id = newPaymentIdentifier()
  expect(isPaymentIdentifier(id)).toBe(true)
  expect(id).not.toBe(newPaymentIdentifier())
  const extensions = withPaymentIdentifier(offered, id)
  expect(extensions).toEqual({
    other: { info: 1 },
    'payment-identifier': { info: { required: true, id }, schema: { type: 'object' } },
  })
  expect(paymentIdentifierOf(extensions)).toEqual({ kind: 'given', id })
})

test.each([
  [offered, true],
  [{ 'payment-identifier': {} }, true],
  [{ 'payment-identifier': null }, false],
  [{ 'payment-identifier': 'yes' }, false],
  [{}, false],
  [undefined, false],
  ['payment-identifier', false],
])('an offer with the extensions %j has it: %s', (extensions, has) => {
  expect(offersPaymentIdentifier(extensions)).toBe(has)
})
