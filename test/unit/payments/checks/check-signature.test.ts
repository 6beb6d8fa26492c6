import { xdr } from '@stellar/stellar-sdk'
import { describe, expect, it, test } from 'vitest'
import { checkPayment } from '../../../../src/payments/checks/check-payment.ts'
import { checkSignature } from '../../../../src/payments/checks/check-signature.ts'
import type { Payment } from '../../../../src/payments/schemes/scheme.ts'
import { passphrases } from '../../../../src/platform/core/caip2.ts'
import {
  type EntryOptions,
  keyOf,
  passphrase,
  payer,
  payerKey,
  policy,
  request,
  signedEntry,
  smartAccountTransaction,
  transaction,
  unsignedEntry,
} from '../protocol/payment-builder.ts'

async function paymentOf(transaction: string): Promise<Payment> {
  const verdict = checkPayment(await request({ transaction }), policy, 'settle')
  if (!verdict.ok) throw new Error(verdict.refusal.message)
  return verdict.payment
}

const paymentWith = async (entry: xdr.SorobanAuthorizationEntry) =>
  paymentOf(await transaction({ auth: [entry] }))

/** The entry the options describe, under the signature of the usual one. */
async function withSignatureOfAnother(options: EntryOptions) {
  const { credentials } = await signedEntry({ version: options.version ?? 'V2' })
  if (credentials.type === 'sorobanCredentialsAddress') {
    return unsignedEntry({ ...options, signature: credentials.address.signature })
  }
  if (credentials.type !== 'sorobanCredentialsAddressV2') throw new Error('not an address')
  return unsignedEntry({ ...options, signature: credentials.addressV2.signature })
}

describe('checkSignature', () => {
  test.each(['V1', 'V2'] as const)('accepts a true signature in %s', async (version) => {
    const payment = await paymentWith(await signedEntry({ version }))
    expect(checkSignature(payment, passphrase)).toBeUndefined()
  })

  test.each<[string, EntryOptions]>([
    ['another nonce (V1)', { version: 'V1', nonce: 8n }],
    ['another nonce (V2)', { version: 'V2', nonce: 8n }],
    ['another expiration ledger (V1)', { version: 'V1', expirationLedger: 1_011 }],
    ['another expiration ledger (V2)', { version: 'V2', expirationLedger: 1_011 }],
  ])('refuses a signature over %s', async (_, options) => {
    const payment = await paymentWith(await withSignatureOfAnother(options))
    expect(checkSignature(payment, passphrase)).toEqual({
      code: 'invalid_exact_stellar_payload_invalid_signature',
      message: expect.stringContaining(payer),
      payer,
    })
  })

  it('refuses a signature in V1 under credentials in V2, which bind the address', async () => {
    const { credentials } = await signedEntry({ version: 'V1' })
    if (credentials.type !== 'sorobanCredentialsAddress') throw new Error('not V1')
    const payment = await paymentWith(
      unsignedEntry({ version: 'V2', signature: credentials.address.signature }),
    )
    expect(checkSignature(payment, passphrase)).toMatchObject({
      code: 'invalid_exact_stellar_payload_invalid_signature',
      payer,
    })
  })

  it('refuses a signature for another network', async () => {
    const payment = await paymentWith(await signedEntry())
    expect(checkSignature(payment, passphrases['stellar:pubnet'])).toMatchObject({
      code: 'invalid_exact_stellar_payload_invalid_signature',
      payer,
    })
  })

  it('refuses a signature whose last bit was turned', async () => {
    const payment = await paymentWith(await signedEntry())
    const [map] =
      payment.authorization.signature.type === 'vec' ? payment.authorization.signature.items : []
    const bytes = map?.type === 'map' ? map.entries[1]?.[1] : undefined
    if (bytes?.type !== 'bytes') throw new Error('no signature bytes')
    bytes.value[63] = bytes.value[63]! ^ 1
    expect(checkSignature(payment, passphrase)).toMatchObject({
      code: 'invalid_exact_stellar_payload_invalid_signature',
      payer,
    })
  })

  it('leaves the weight of a co-signer to the ledger', async () => {
    const payment = await paymentWith(await signedEntry({}, keyOf(9)))
    expect(checkSignature(payment, passphrase)).toBeUndefined()
  })

  test.each([
    ['bytes', xdr.ScVal.scvBytes(payerKey.sign(new Uint8Array(32)))],
    ['a vector of bytes', xdr.ScVal.scvVec([xdr.ScVal.scvBytes(new Uint8Array(64))])],
    ['a map without a key', xdr.ScVal.scvVec([xdr.ScVal.scvMap([])])],
  ])('refuses %s as the signature of an account', async (_, signature) => {
    const payment = await paymentWith(unsignedEntry({ signature }))
    expect(checkSignature(payment, passphrase)).toMatchObject({
      message: expect.stringContaining('vector of maps'),
    })
  })

  it('refuses a key that is not 32 bytes long', async () => {
    const entry = (name: string, length: number) =>
      new xdr.ScMapEntry({
        key: xdr.ScVal.scvSymbol(name),
        val: xdr.ScVal.scvBytes(new Uint8Array(length)),
      })
    const signature = xdr.ScVal.scvVec([
      xdr.ScVal.scvMap([entry('public_key', 31), entry('signature', 64)]),
    ])
    const payment = await paymentWith(unsignedEntry({ signature }))
    expect(checkSignature(payment, passphrase)).toMatchObject({
      message: expect.stringContaining('a malformed key'),
    })
  })

  it('leaves the signature of a smart account to its contract', async () => {
    const payment = await paymentOf(await smartAccountTransaction())
    expect(checkSignature(payment, passphrase)).toBeUndefined()
  })
})
