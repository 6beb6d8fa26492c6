import { StrKey, xdr } from '@stellar/stellar-sdk'
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types'
import { expect, test } from 'vitest'
import { claimOf } from '../../../../src/selling/delivery/claim.ts'
import {
  asset,
  callOf,
  keyOf,
  payer,
  seller,
  signedEntry,
  transaction,
} from '../../payments/protocol/payment-builder.ts'

const terms: PaymentRequirements = {
  scheme: 'exact',
  network: 'stellar:testnet',
  asset,
  amount: '100000',
  payTo: seller,
  maxTimeoutSeconds: 60,
  extra: {},
}
const signedBy = async (address: string, nonce = 7n) =>
  transaction({ auth: [await signedEntry({ address, nonce })] })
const signed = await signedBy(payer)

interface Wish extends Partial<PaymentRequirements> {
  readonly scope?: string
  readonly transaction?: string
}

const claimed = ({ scope = 'shop', transaction: sent = signed, ...changes }: Wish = {}) => {
  const accepted = { ...terms, ...changes }
  const payment: PaymentPayload = { x402Version: 2, accepted, payload: { transaction: sent } }
  return claimOf({ scope, payment, id: 'order_0000000000000001', bought: ['/goods'] })
}

test.each<[string, Wish]>([
  ['seller', { scope: 'other' }],
  ['payee', { payTo: keyOf(8).publicKey() }],
  ['network', { network: 'stellar:pubnet' }],
  ['payer', { transaction: await signedBy(keyOf(9).publicKey()) }],
])('an id of another %s is another id', (_, change) => {
  expect(claimed(change).id?.key).not.toBe(claimed().id?.key)
})

test('an id of another payment of the same payer is the same, and has one payload', async () => {
  const other = claimed({ transaction: await signedBy(payer, 8n) })
  expect(other.id?.key).toBe(claimed().id?.key)
  expect(other.id?.value).not.toBe(claimed().id?.value)
})

test('the key of a payment has its network and what is signed, and nothing else', async () => {
  const envelope = xdr.TransactionEnvelope.fromXdr(signed, 'base64')
  if (envelope.type !== 'envelopeTypeTx') throw new Error(envelope.type)
  Object.assign(envelope.v1.tx, { fee: envelope.v1.tx.fee + 1 })
  const resent = envelope.toXdr('base64')
  expect(resent).not.toBe(signed)
  const { key } = claimed()
  expect(claimed({ scope: 'other', payTo: keyOf(8).publicKey() }).key).toBe(key)
  expect(claimed({ transaction: resent }).key).toBe(key)
  expect(claimed({ network: 'stellar:pubnet' }).key).not.toBe(key)
  expect(claimed({ transaction: await signedBy(payer, 8n) }).key).not.toBe(key)
})

test('who signs for a contract account is not in the key of its payment', async () => {
  const account = StrKey.encodeContract(Buffer.alloc(32, 3))
  const payers = await signedEntry({ address: account })
  const check = callOf({ contract: account, functionName: '__check_auth', args: [] })
  const signers = [1n, 2n].map((nonce) => signedEntry({ address: payer, nonce, call: check }))
  const [one, other] = (await Promise.all(signers)).map((signer) => [payers, signer])
  const key = (auth: typeof one = []) =>
    transaction({ auth }).then((sent) => claimed({ transaction: sent }))
  expect(await key(one)).toMatchObject({ key: (await key([payers])).key })
  expect(await key(other)).toMatchObject({
    key: (await key(one)).key,
    id: { key: (await key(one)).id?.key },
  })
})

test('a payment that no facilitator can read has an id all the same', () => {
  for (const sent of ['', 'AAAA', '%']) expect(claimed({ transaction: sent }).id?.key).toBeTruthy()
})
