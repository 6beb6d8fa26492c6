import { xdr } from '@stellar/stellar-sdk'
import { describe, expect, it, test } from 'vitest'
import {
  EnvelopeError,
  readClientEnvelope,
} from '../../../../src/stellar/transactions/client-envelope.ts'
import {
  asset,
  nullAccount,
  payer,
  seller,
  transaction,
} from '../../payments/protocol/payment-builder.ts'

const bytesOf = async () => Buffer.from(await transaction(), 'base64')
const versionOne = async () => {
  const envelope = xdr.TransactionEnvelope.fromXdr(await transaction(), 'base64')
  if (envelope.type !== 'envelopeTypeTx') throw new Error('not version 1')
  return envelope.v1
}

const feeBump = async () =>
  xdr.TransactionEnvelope.envelopeTypeTxFeeBump(
    new xdr.FeeBumpTransactionEnvelope({
      tx: new xdr.FeeBumpTransaction({
        feeSource: xdr.MuxedAccount.keyTypeEd25519(new Uint8Array(32)),
        fee: 200n,
        innerTx: xdr.FeeBumpTransactionInnerTx.envelopeTypeTx(await versionOne()),
        ext: xdr.FeeBumpTransactionExt.v0(),
      }),
      signatures: [],
    }),
  ).toXdr('base64')

const versionZero = () =>
  xdr.TransactionEnvelope.envelopeTypeTxV0(
    new xdr.TransactionV0Envelope({
      tx: new xdr.TransactionV0({
        sourceAccountEd25519: new Uint8Array(32),
        fee: 100,
        seqNum: 1n,
        timeBounds: null,
        memo: xdr.Memo.memoNone(),
        operations: [],
        ext: xdr.TransactionV0Ext.v0(),
      }),
      signatures: [],
    }),
  ).toXdr('base64')

describe('readClientEnvelope', () => {
  it('reads the call, the accounts and the authorization', async () => {
    expect(readClientEnvelope(await transaction())).toMatchObject({
      source: nullAccount,
      hasMemo: false,
      preconditions: [],
      operations: [
        {
          type: 'invokeHostFunction',
          invocation: {
            call: {
              contract: asset,
              functionName: 'transfer',
              args: [
                { type: 'address', value: payer },
                { type: 'address', value: seller },
                { type: 'i128', value: 100_000n },
              ],
            },
            auth: [{ credentials: 'addressV2', address: payer, nonce: 7n }],
          },
        },
      ],
    })
  })

  test.each<[string, string, () => string | Promise<string>]>([
    ['nothing', 'is empty', () => ''],
    ['what is not base64', 'canonical base64', () => 'not base64!'],
    ['base64 with white space', 'canonical base64', async () => `${await transaction()}\n`],
    ['base64 without padding', 'canonical base64', () => 'AAAAAg'],
    [
      'url-safe base64',
      'canonical base64',
      () => Buffer.from([0xff, 0xef, 0xfe]).toString('base64url'),
    ],
    ['base64 with stray bits in its last character', 'canonical base64', () => 'AAAAAgAAAAB='],
    [
      'half an envelope',
      'not a TransactionEnvelope',
      async () => (await bytesOf()).subarray(0, 100).toString('base64'),
    ],
    [
      'bytes after the envelope',
      'not a TransactionEnvelope',
      async () => Buffer.concat([await bytesOf(), Buffer.alloc(4)]).toString('base64'),
    ],
    ['a fee bump', 'fee bump', feeBump],
    ['version 0', 'version 0', versionZero],
  ])('refuses %s', async (_, says, given) => {
    const read = async () => readClientEnvelope(await given())
    await expect(read).rejects.toThrow(EnvelopeError)
    await expect(read).rejects.toThrow(says)
  })

  it('refuses any truncated envelope with EnvelopeError', async () => {
    const bytes = await bytesOf()
    for (let length = 1; length < bytes.length; length++) {
      expect(() => readClientEnvelope(bytes.subarray(0, length).toString('base64'))).toThrow(
        EnvelopeError,
      )
    }
  })

  it('throws no other error for a flipped bit', async () => {
    const bytes = await bytesOf()
    for (let at = 0; at < bytes.length; at++) {
      const turned = Buffer.from(bytes)
      turned[at] = turned[at]! ^ 0x81
      try {
        readClientEnvelope(turned.toString('base64'))
      } catch (error) {
        expect(error).toBeInstanceOf(EnvelopeError)
      }
    }
  })
})
