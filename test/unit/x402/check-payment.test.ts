import { encodeMuxedAccountToAddress, xdr } from '@stellar/stellar-sdk'
import { describe, expect, it, test } from 'vitest'
import { checkPayment } from '../../../src/x402/check-payment.ts'
import {
  addressValue,
  callOf,
  i128,
  keyOf,
  nullAccount,
  payer,
  policy,
  request,
  seller,
  signedEntry,
  smartAccount,
  smartAccountTransaction,
  transaction,
} from './payment-builder.ts'
import { muxedSeller, P, tx } from './refusal-row.ts'
import { codesOfSmartAccounts, onceThePayerIsKnown } from './refusals-of-calls.ts'
import { beforeThePayerIsKnown } from './refusals-of-requests.ts'

describe('checkPayment refuses', () => {
  test.each([...beforeThePayerIsKnown, ...onceThePayerIsKnown, ...codesOfSmartAccounts])(
    'with $code when $when',
    async ({ code, given, says, payer: named }) => {
      const verdict = checkPayment(await request(await given()), policy)
      if (verdict.ok) throw new Error('the payment was accepted')
      expect(verdict.refusal).toEqual({
        code,
        message: expect.stringContaining(says),
        ...(named && { payer: named }),
      })
    },
  )

  it('a source behind a muxed address of ours', async () => {
    const own = encodeMuxedAccountToAddress(
      xdr.MuxedAccount.keyTypeMuxedEd25519(
        new xdr.MuxedAccountMed25519({ id: 5n, ed25519: keyOf(4).rawPublicKey() }),
      ),
    )
    const verdict = checkPayment(await request(await tx({ operationSource: own })), policy)
    expect(verdict).toMatchObject({
      refusal: { code: `${P}unsafe_tx_or_op_source`, message: expect.stringContaining(own) },
    })
  })

  it('a memo, which no sponsored settlement could carry', async () => {
    const envelope = xdr.TransactionEnvelope.fromXdr(await transaction(), 'base64')
    if (envelope.type !== 'envelopeTypeTx') throw new Error('not version 1')
    const { tx: inner, signatures } = envelope.v1
    const withMemo = xdr.TransactionEnvelope.envelopeTypeTx(
      new xdr.TransactionV1Envelope({
        tx: new xdr.Transaction({ ...inner, memo: xdr.Memo.memoId(1n) }),
        signatures,
      }),
    )
    const given = await request({ transaction: withMemo.toXdr('base64') })
    expect(checkPayment(given, policy)).toMatchObject({
      refusal: {
        code: `${P}unsupported_preconditions`,
        message: expect.stringContaining('sets memo'),
      },
    })
  })

  it('with the first reason in order when several apply', async () => {
    const given = await request({ x402Version: 1, terms: { amount: '0' }, transaction: '' })
    expect(checkPayment(given, policy)).toMatchObject({ refusal: { code: 'invalid_x402_version' } })
  })
})

describe('checkPayment accepts', () => {
  test.each(['V1', 'V2'] as const)('%s credentials', async (version) => {
    const auth = [await signedEntry({ version })]
    const verdict = checkPayment(await request(await tx({ auth })), policy)
    expect(verdict).toMatchObject({
      ok: true,
      payment: {
        payer,
        payTo: seller,
        amount: 100_000n,
        maxTimeoutSeconds: 60,
        asset: { symbol: 'USDC' },
        authorization: { nonce: 7n, expirationLedger: 1_010, address: payer },
      },
    })
  })

  it('a muxed recipient that is called by its muxed address', async () => {
    const args = [addressValue(payer), addressValue(muxedSeller), i128(100_000n)]
    const given = await tx({ call: callOf({ args }) }, { terms: { payTo: muxedSeller } })
    expect(checkPayment(await request(given), policy)).toMatchObject({
      ok: true,
      payment: { payTo: muxedSeller },
    })
  })

  it('a contract as recipient', async () => {
    const args = [addressValue(payer), addressValue(smartAccount), i128(100_000n)]
    const given = await tx({ call: callOf({ args }) }, { terms: { payTo: smartAccount } })
    expect(checkPayment(await request(given), policy)).toMatchObject({ ok: true })
  })

  it('a smart account as payer, whatever its signature looks like', async () => {
    const given = await request({ transaction: await smartAccountTransaction() })
    expect(checkPayment(given, policy)).toMatchObject({
      ok: true,
      payment: { payer: smartAccount },
    })
  })

  it('others who vouch for a smart account, and agree to nothing else', async () => {
    const vouching = callOf({ contract: smartAccount, functionName: '__check_auth', args: [] })
    const transaction = await smartAccountTransaction(undefined, [
      await signedEntry({ call: vouching }),
    ])
    expect(checkPayment(await request({ transaction }), policy)).toMatchObject({ ok: true })
  })

  test.each([
    ['the payer as source', { source: payer, operationSource: payer }],
    ['the all-zero account as source', { source: nullAccount }],
  ])('%s', async (_, sources) => {
    expect(checkPayment(await request(await tx(sources)), policy)).toMatchObject({ ok: true })
  })

  it('members it does not know', async () => {
    const given = await request({ terms: { note: 'hello' }, accepted: { note: 'other' } })
    expect(checkPayment(given, policy)).toMatchObject({ ok: true })
  })

  it('an envelope that carries signatures, which mean nothing here', async () => {
    const envelope = xdr.TransactionEnvelope.fromXdr(await transaction(), 'base64')
    if (envelope.type !== 'envelopeTypeTx') throw new Error('not version 1')
    const signed = xdr.TransactionEnvelope.envelopeTypeTx(
      new xdr.TransactionV1Envelope({
        tx: envelope.v1.tx,
        signatures: [
          new xdr.DecoratedSignature({ hint: new Uint8Array(4), signature: new Uint8Array(64) }),
        ],
      }),
    )
    const given = await request({ transaction: signed.toXdr('base64') })
    expect(checkPayment(given, policy)).toMatchObject({ ok: true })
  })
})
