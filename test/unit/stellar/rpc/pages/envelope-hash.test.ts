import {
  Account,
  Asset,
  Keypair,
  Networks,
  Operation,
  type Transaction,
  TransactionBuilder,
  xdr,
} from '@stellar/stellar-sdk'
import { describe, expect, test } from 'vitest'
import { envelopeHash, hasHash } from '../../../../../src/stellar/rpc/pages/envelope-hash.ts'

const passphrase = Networks.TESTNET
const key = Keypair.random()
const { TransactionEnvelope: Envelope } = xdr

function payment(signatures: number): Transaction {
  const tx = new TransactionBuilder(new Account(key.publicKey(), '1'), {
    fee: '100',
    networkPassphrase: passphrase,
  })
    .addOperation(
      Operation.payment({ destination: key.publicKey(), asset: Asset.native(), amount: '1' }),
    )
    .setTimeout(9)
    .build()
  for (let i = 0; i < signatures; i++) tx.sign(key)
  return tx
}

function versionZero(tx: Transaction): xdr.TransactionEnvelope {
  const envelope = Envelope.fromXdr(tx.toXDR(), 'base64')
  if (envelope.type !== 'envelopeTypeTx') throw new TypeError(envelope.type)
  const { fee, seqNum, cond, memo, operations } = envelope.v1.tx
  if (cond.type !== 'precondTime') throw new TypeError(cond.type)
  const v0 = new xdr.TransactionV0({
    sourceAccountEd25519: key.rawPublicKey(),
    ...{ fee, seqNum, timeBounds: cond.timeBounds, memo, operations },
    ext: xdr.TransactionV0Ext.v0(),
  })
  const { signatures } = envelope.v1
  return Envelope.envelopeTypeTxV0(new xdr.TransactionV0Envelope({ tx: v0, signatures }))
}

function withShortSignature(tx: Transaction): xdr.TransactionEnvelope {
  const envelope = Envelope.fromXdr(tx.toXDR(), 'base64')
  if (envelope.type !== 'envelopeTypeTx') throw new TypeError(envelope.type)
  const preimage = new xdr.DecoratedSignature({
    hint: new Uint8Array(4),
    signature: new Uint8Array(5).fill(1),
  })
  const signatures = [...envelope.v1.signatures, preimage]
  return Envelope.envelopeTypeTx(new xdr.TransactionV1Envelope({ tx: envelope.v1.tx, signatures }))
}

const bump = (tx: Transaction) => {
  const outer = TransactionBuilder.buildFeeBumpTransaction(key, '200', tx, passphrase)
  outer.sign(key)
  return outer
}

const hex = (tx: { hash(): Uint8Array }) => Buffer.from(tx.hash()).toString('hex')
const decoded = (tx: { toXDR(): string }) => Envelope.fromXdr(tx.toXDR(), 'base64')
const [bare, signed, twice] = [payment(0), payment(1), payment(2)]
const bumped = bump(payment(1))

describe('the hash of an envelope', () => {
  test.each([
    { of: 'without a signature', envelope: decoded(bare), expected: hex(bare) },
    { of: 'with a signature', envelope: decoded(signed), expected: hex(signed) },
    { of: 'with two signatures', envelope: decoded(twice), expected: hex(twice) },
    { of: 'of a fee bump', envelope: decoded(bumped), expected: hex(bumped) },
    { of: 'of version 0', envelope: versionZero(signed), expected: hex(signed) },
    { of: 'with a preimage', envelope: withShortSignature(signed), expected: hex(signed) },
  ])('$of is that of the SDK', ({ envelope, expected }) => {
    const bytes = Buffer.from(envelope.toXdr())
    expect(envelopeHash(bytes, passphrase)).toBe(expected)
    expect(hasHash(bytes, expected, passphrase)).toBe(true)
    expect(hasHash(bytes, expected, Networks.PUBLIC)).toBe(false)
    for (const at of [4, 50, 90]) {
      const changed = Buffer.from(bytes)
      changed[at] = (changed[at] ?? 0) ^ 1
      expect(hasHash(changed, expected, passphrase)).toBe(false)
    }
  })

  test('bytes that are no envelope have none', () => {
    for (const bytes of [Buffer.alloc(0), Buffer.alloc(3), Buffer.alloc(400, 7)]) {
      expect(hasHash(bytes, hex(signed), passphrase)).toBe(false)
    }
  })
})
