import { Keypair } from '@stellar/stellar-sdk'
import { describe, expect, test } from 'vitest'
import {
  readReference,
  referenceOf,
  type SignedPayment,
  traceOf,
} from '../../../../src/buying/outcome/payment-reference.ts'
import { usdcContracts } from '../../../../src/platform/core/caip2.ts'

const payer = Keypair.random().publicKey()
const asset = usdcContracts['stellar:testnet']

const payment = (changes: Partial<SignedPayment['authorization']> = {}): SignedPayment => ({
  network: 'stellar:testnet',
  authorization: { asset, payer, nonce: 7n, afterLedger: 100, lastLedger: 124, ...changes },
})

test('a reference is one word with what the ledger is asked for', () => {
  expect(referenceOf(payment())).toBe(`testnet_7_100_124_${asset}_${payer}`)
  expect(referenceOf(payment({ nonce: -1n }))).toBe(
    `testnet_18446744073709551615_100_124_${asset}_${payer}`,
  )
})

test.each([
  payment(),
  payment({ nonce: -1n }),
  payment({ nonce: -(2n ** 63n) }),
  payment({ nonce: 2n ** 63n - 1n }),
  payment({ payer: asset }),
  { ...payment(), network: 'stellar:pubnet' as const },
])('is read as it was written', (each) => {
  expect(readReference(referenceOf(each))).toEqual(each)
})

describe('what is no whole reference', () => {
  const whole = referenceOf(payment())
  test.each([
    '',
    'testnet',
    whole.slice(0, -1),
    whole.slice(1),
    `${whole}A`,
    `${whole} `,
    whole.replace('testnet', 'moonnet'),
    whole.replace('_124_', '_100_'),
    whole.replace('_124_', '_12_'),
    whole.replace('_7_', '_18446744073709551616_'),
    whole.replace('_7_', '_-7_'),
    whole.replace(asset, payer),
    whole.replace(payer, `${payer.slice(0, -1)}${payer.endsWith('A') ? 'B' : 'A'}`),
  ])('is not read: %s', (text) => {
    expect(readReference(text)).toBeUndefined()
  })
})

test('says about when the last ledger closes', () => {
  const signed = { ...payment(), signedAtMs: Date.UTC(2026, 0, 1), maxTimeoutSeconds: 120 }
  expect(traceOf(signed)).toEqual({
    reference: referenceOf(payment()),
    lastLedger: 124,
    validUntil: '2026-01-01T00:02:00.000Z',
  })
})
