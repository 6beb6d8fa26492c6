import { xdr } from '@stellar/stellar-sdk'
import { describe, expect, it, test } from 'vitest'
import { checkPayment } from '../../../../src/payments/checks/check-payment.ts'
import {
  type PaymentRequest,
  readPaymentRequest,
} from '../../../../src/payments/protocol/protocol.ts'
import {
  signedEntry as authorizationEntry,
  muxed,
  type PaymentBody,
  payment,
} from '../../../support/payments.ts'
import type { Parties } from '../../../support/refusals/refusal.ts'
import { staticRefusals } from '../../../support/refusals/static-refusals.ts'
import {
  addressValue,
  callOf,
  channel,
  i128,
  keyOf,
  nullAccount,
  passphrase,
  payer,
  payerKey,
  policy,
  type RequestOptions,
  request,
  seller,
  signedEntry,
  smartAccount,
  smartAccountTransaction,
  sponsor,
  transaction,
} from '../protocol/payment-builder.ts'

const muxedSeller = muxed(seller)
const tx = async (
  options: Parameters<typeof transaction>[0],
  more: RequestOptions = {},
): Promise<RequestOptions> => ({ transaction: await transaction(options), ...more })

const network = { network: { latest: { sequence: 1_000 }, passphrase } }
const parties: Parties = {
  payer: { address: payer, key: payerKey },
  seller: { address: seller, key: keyOf(2) },
  sponsor,
  channel,
  pay: (plan = {}) => payment(network, { ...transferPlan, ...plan }),
  authorize: (plan = {}) => authorizationEntry(network, { ...transferPlan, ...plan }),
}
const transferPlan = { payer: parties.payer, payTo: seller }

/** As it arrives over HTTP. */
function received(body: PaymentBody): PaymentRequest {
  const reading = readPaymentRequest(JSON.parse(JSON.stringify(body)))
  if (!reading.ok) throw new Error(reading.problem)
  return reading.request
}

describe.each(staticRefusals)('checkPayment: $stage', ({ rows }) => {
  test.each(rows)('answers $code $when', async ({ code, build }) => {
    const { body, message, payer: named } = await build(parties)
    expect(checkPayment(received(body), policy, 'settle')).toEqual({
      ok: false,
      refusal: {
        code,
        message: typeof message === 'string' ? message : expect.stringMatching(message),
        ...(named && { payer: named }),
      },
    })
  })
})

describe('checkPayment refuses', () => {
  it('a timeout that is no number', async () => {
    const given = await request({ terms: { maxTimeoutSeconds: Number.NaN } })
    expect(checkPayment(given, policy, 'settle')).toMatchObject({
      refusal: { code: 'invalid_exact_stellar_requirements_timeout_out_of_range' },
    })
  })

  it('with the first reason in order when several apply', async () => {
    const given = await request({ x402Version: 1, terms: { amount: '0' }, transaction: '' })
    expect(checkPayment(given, policy, 'settle')).toMatchObject({
      refusal: { code: 'invalid_x402_version' },
    })
  })
})

describe('checkPayment accepts', () => {
  test.each(['V1', 'V2'] as const)('%s credentials', async (version) => {
    const auth = [await signedEntry({ version })]
    const verdict = checkPayment(await request(await tx({ auth })), policy, 'settle')
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
    expect(checkPayment(await request(given), policy, 'settle')).toMatchObject({
      ok: true,
      payment: { payTo: muxedSeller },
    })
  })

  it('a contract as recipient', async () => {
    const args = [addressValue(payer), addressValue(smartAccount), i128(100_000n)]
    const given = await tx({ call: callOf({ args }) }, { terms: { payTo: smartAccount } })
    expect(checkPayment(await request(given), policy, 'settle')).toMatchObject({ ok: true })
  })

  it('a smart account as payer, whatever its signature looks like', async () => {
    const given = await request({ transaction: await smartAccountTransaction() })
    expect(checkPayment(given, policy, 'settle')).toMatchObject({
      ok: true,
      payment: { payer: smartAccount },
    })
  })

  it('signers of a smart account that authorize nothing else', async () => {
    const signing = callOf({ contract: smartAccount, functionName: '__check_auth', args: [] })
    const transaction = await smartAccountTransaction(undefined, [
      await signedEntry({ call: signing }),
    ])
    expect(checkPayment(await request({ transaction }), policy, 'settle')).toMatchObject({
      ok: true,
    })
  })

  test.each([
    ['the payer as source', { source: payer, operationSource: payer }],
    ['the all-zero account as source', { source: nullAccount }],
  ])('%s', async (_, sources) => {
    expect(checkPayment(await request(await tx(sources)), policy, 'settle')).toMatchObject({
      ok: true,
    })
  })

  it('members it does not know', async () => {
    const given = await request({ terms: { note: 'hello' }, accepted: { note: 'other' } })
    expect(checkPayment(given, policy, 'settle')).toMatchObject({ ok: true })
  })

  it('an envelope with signatures, which are ignored', async () => {
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
    expect(checkPayment(given, policy, 'settle')).toMatchObject({ ok: true })
  })
})
