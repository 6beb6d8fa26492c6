import { describe, expect, it, test } from 'vitest'
import { checkPayment } from '../../../../../src/payments/checks/check-payment.ts'
import type { PaymentPolicy } from '../../../../../src/payments/protocol/policy.ts'
import {
  type PaymentRequest,
  readPaymentRequest,
} from '../../../../../src/payments/protocol/protocol.ts'
import type { Phase } from '../../../../../src/payments/schemes/scheme.ts'
import type { PaymentBody } from '../../../../support/payments.ts'
import { uptoRefusals } from '../../../../support/refusals/upto.ts'
import type { UptoParties, UptoRefusal } from '../../../../support/refusals/upto-refusal.ts'
import { type UptoPlan, uptoPayment } from '../../../../support/upto-payments.ts'
import {
  channel,
  policy as exactPolicy,
  keyOf,
  passphrase,
  payer,
  payerKey,
  request,
  seller,
  smartAccount,
} from '../../protocol/payment-builder.ts'

const network = { network: { latest: { sequence: 1_000 }, passphrase } }
const contract = 'CDMLFMKMMD7MWZP3FKUBZPVHTUEDLSX4BYGYKH4GCESXYHS3IHQ4EIG4'
const authority = keyOf(5).publicKey()
const parties: UptoParties = {
  payer: { address: payer, key: payerKey },
  seller: { address: seller, key: keyOf(2) },
  contract,
  authority,
  channel,
}
const policy: PaymentPolicy = {
  ...exactPolicy,
  isOwnAccount: (address) => address === authority || exactPolicy.isOwnAccount(address),
  upto: { contract, authorities: [authority, keyOf(6).publicKey()] },
}

/** As it arrives over HTTP. */
function received(body: PaymentBody): PaymentRequest {
  const reading = readPaymentRequest(JSON.parse(JSON.stringify(body)))
  if (!reading.ok) throw new Error(reading.problem)
  return reading.request
}

const pay = async (plan: Partial<UptoPlan> = {}) =>
  received(await uptoPayment(network, parties, { payer: parties.payer, payTo: seller, ...plan }))

const planOf = ({ plan }: UptoRefusal) => (plan instanceof Function ? plan(parties) : plan)

const accepted = (given: PaymentRequest, phase: Phase) => {
  const checked = checkPayment(given, policy, phase)
  if (!checked.ok) throw new Error(`${checked.refusal.code}: ${checked.refusal.message}`)
  return checked.payment
}

describe('checkPayment in the scheme upto', () => {
  test.each(uptoRefusals)('answers $code $when', async (row) => {
    const given = await pay(planOf(row))
    const { code, message, phase = 'settle', isAnonymous } = row
    expect(checkPayment(given, policy, phase)).toEqual({
      ok: false,
      refusal: {
        code,
        message: typeof message === 'string' ? message : expect.stringMatching(message),
        ...(!isAnonymous && { payer }),
      },
    })
  })

  test.each(['verify', 'settle'] as const)('accepts the ceiling at %s', async (phase) => {
    expect(accepted(await pay(), phase)).toMatchObject({
      phase,
      payer,
      payTo: seller,
      amount: 100_000n,
      authority: { address: authority, functionName: 'settle' },
    })
  })

  test.each([0n, 1n, 99_999n])('accepts %s base units at settle', async (amount) => {
    const { invocation, authority: settling } = accepted(await pay({ amount }), 'settle')
    expect(invocation.call?.args[6]).toEqual({ type: 'i128', value: amount })
    expect(settling?.received.call?.args[6]).toEqual({ type: 'i128', value: 0n })
    expect(invocation.auth).toHaveLength(2)
    expect(invocation.auth[0]).toEqual(settling?.received.auth[0])
    expect(invocation.auth[1]).toMatchObject({ credentials: 'sourceAccount', subInvocations: [] })
    expect(invocation.auth[1]?.call?.xdr).toEqual(invocation.call?.xdr)
  })

  it('accepts the highest amount of a token', async () => {
    const ceiling = 2n ** 127n - 1n
    const unlimited = { ...policy, assets: new Map([...policy.assets].map(withoutBounds)) }
    const checked = checkPayment(await pay({ ceiling }), unlimited, 'verify')
    expect(checked).toMatchObject({ ok: true, payment: { amount: ceiling } })
  })

  it('accepts an amount below the minimum of the asset, of which the ceiling counts', async () => {
    expect(accepted(await pay({ amount: 1n }), 'settle').amount).toBe(1n)
  })

  it('accepts the authority of an earlier sponsor', async () => {
    const earlier = keyOf(6).publicKey()
    const given = received(
      await uptoPayment(
        network,
        { contract, authority: earlier },
        { payer: parties.payer, payTo: seller },
      ),
    )
    expect(accepted(given, 'settle').authority?.address).toBe(earlier)
  })

  it('accepts a smart account as payer', async () => {
    const wallet = { address: smartAccount, key: payerKey }
    expect(accepted(await pay({ payer: wallet }), 'settle').payer).toBe(smartAccount)
  })

  it("names a payment by the contract's nonce, whatever the nonce of its entry", async () => {
    const nonce = new Uint8Array(32).fill(0xab)
    const [one, two] = [await pay({ nonce, entryNonce: 1n }), await pay({ nonce, entryNonce: 2n })]
    expect(accepted(one, 'settle').nonce).toBe('ab'.repeat(32))
    expect(accepted(two, 'settle').nonce).toBe('ab'.repeat(32))
  })

  it('is not served without a contract', async () => {
    expect(checkPayment(await pay(), exactPolicy, 'settle')).toMatchObject({
      refusal: { code: 'unsupported_scheme', message: 'scheme is upto, expected exact' },
    })
  })

  it('leaves the scheme exact as it is', async () => {
    expect(checkPayment(await request(), policy, 'settle')).toMatchObject({ ok: true })
    expect(
      checkPayment(await request({ terms: { scheme: 'other' } }), policy, 'settle'),
    ).toMatchObject({ refusal: { message: 'scheme is other, expected exact or upto' } })
  })
})

const withoutBounds = ([address, asset]: [string, { symbol: string; decimals: number }]) =>
  [address, { contract: address, symbol: asset.symbol, decimals: asset.decimals }] as const
