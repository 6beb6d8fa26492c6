import { SorobanDataBuilder } from '@stellar/stellar-sdk'
import { beforeAll, describe, expect, it, test } from 'vitest'
import { checkPayment } from '../../../../../src/payments/checks/check-payment.ts'
import { checkSimulation } from '../../../../../src/payments/checks/check-simulation.ts'
import type { PaymentPolicy } from '../../../../../src/payments/protocol/policy.ts'
import type { ReasonCode } from '../../../../../src/payments/protocol/reasons.ts'
import type { Payment } from '../../../../../src/payments/schemes/scheme.ts'
import { asStroops } from '../../../../../src/platform/core/amounts/stroops.ts'
import type { HostEvent, ScValue } from '../../../../../src/stellar/values/sc-value.ts'
import { uptoPayment } from '../../../../support/upto-payments.ts'
import {
  asset,
  policy as exactPolicy,
  keyOf,
  otherContract,
  passphrase,
  payer,
  payerKey,
  seller,
} from '../../protocol/payment-builder.ts'

const P = 'invalid_exact_stellar_payload_'
const CEILING = 100_000n
const ACTUAL = 40_000n
const EXPIRATION_LEDGER = 1_010
const contract = 'CDMLFMKMMD7MWZP3FKUBZPVHTUEDLSX4BYGYKH4GCESXYHS3IHQ4EIG4'
const authority = keyOf(5).publicKey()
const stranger = keyOf(6).publicKey()
const policy: PaymentPolicy = { ...exactPolicy, upto: { contract, authorities: [authority] } }

const symbol = (value: string): ScValue => ({ type: 'symbol', value })
const address = (value: string): ScValue => ({ type: 'address', value })
const i128 = (value: bigint): ScValue => ({ type: 'i128', value })
const vector = (...items: ScValue[]): ScValue => ({ type: 'vec', items })

const event = (from: string, name: string, topics: ScValue[], data: ScValue): HostEvent => ({
  kind: 'contract',
  inSuccessfulCall: true,
  contract: from,
  topics: [symbol(name), ...topics],
  data,
})

const sacName: ScValue = { type: 'string', value: `USDC:${stranger}` }
const approve = ({ owner = payer, spender = contract, amount = CEILING, until = 1_010n } = {}) =>
  event(
    asset,
    'approve',
    [address(owner), address(spender), sacName],
    vector(i128(amount), { type: 'u32', value: until }),
  )
const transfer = ({ from = payer, to = seller, amount = ACTUAL, token = asset } = {}) =>
  event(token, 'transfer', [address(from), address(to), sacName], i128(amount))
const settled = ({ from = payer, ceiling = CEILING, actual = ACTUAL, by = contract } = {}) =>
  event(by, 'upto_settled', [address(from)], vector(i128(ceiling), i128(actual)))

const transactionData = new SorobanDataBuilder().setResourceFee(30_000).build().toXdr('base64')

let partial: Payment
let nothing: Payment

const paymentOf = async (amount: bigint): Promise<Payment> => {
  const body = await uptoPayment(
    { network: { latest: { sequence: 1_000 }, passphrase } },
    { contract, authority },
    {
      payer: { address: payer, key: payerKey },
      payTo: seller,
      amount,
      expirationLedger: EXPIRATION_LEDGER,
    },
  )
  const checked = checkPayment(JSON.parse(JSON.stringify(body)), policy, 'settle')
  if (!checked.ok) throw new Error(checked.refusal.message)
  return checked.payment
}

beforeAll(async () => {
  partial = await paymentOf(ACTUAL)
  nothing = await paymentOf(0n)
})

function codeOf(payment: Payment, events: readonly HostEvent[]): ReasonCode | undefined {
  const checked = checkSimulation(
    payment,
    {
      kind: 'ok',
      latestLedger: 1_000,
      minResourceFee: asStroops(30_000n),
      transactionData,
      events,
      output: { emittedBytes: 0, dataEntryBytes: 0, codeEntryBytes: 0 },
      needsRestore: false,
    },
    { secondsPerLedger: 5, inclusionFee: asStroops(100n) },
    policy,
  )
  return checked.ok ? undefined : checked.refusal.code
}

describe('the events of a settlement', () => {
  it('are the allowance, the transfer and what the contract says', () => {
    expect(codeOf(partial, [approve(), transfer(), settled()])).toBeUndefined()
  })

  it('are only what the contract says for an amount of zero', () => {
    expect(codeOf(nothing, [settled({ actual: 0n })])).toBeUndefined()
  })

  test.each<{ when: string; code: ReasonCode; events: () => HostEvent[] }>([
    {
      when: 'another contract emits one',
      code: `${P}event_not_transfer`,
      events: () => [approve(), transfer(), settled(), event(otherContract, 'ring', [], i128(1n))],
    },
    {
      when: 'the token emits another',
      code: `${P}event_not_transfer`,
      events: () => [approve(), transfer(), settled(), event(asset, 'mint', [], i128(1n))],
    },
    {
      when: 'another token makes an allowance',
      code: `${P}event_not_transfer`,
      events: () => [approve(), transfer(), settled(), { ...approve(), contract: otherContract }],
    },
    {
      when: 'another contract says that it settled',
      code: `${P}event_not_transfer`,
      events: () => [approve(), transfer(), settled({ by: otherContract })],
    },
    {
      when: 'one names no contract',
      code: `${P}event_missing_contract_id`,
      events: () => {
        const { contract: _, ...anonymous } = transfer()
        return [approve(), anonymous, settled()]
      },
    },
    {
      when: 'another token is transferred',
      code: `${P}event_wrong_asset`,
      events: () => [approve(), transfer(), transfer({ token: otherContract }), settled()],
    },
    ...Object.entries({
      owner: { owner: stranger },
      spender: { spender: stranger },
      amount: { amount: CEILING + 1n },
      'last ledger': { until: 1_011n },
    }).map(([what, change]) => ({
      when: `the allowance has another ${what}`,
      code: `${P}event_not_transfer` as const,
      events: () => [approve(change), transfer(), settled()],
    })),
    {
      when: 'there is no allowance',
      code: `${P}event_not_transfer`,
      events: () => [transfer(), settled()],
    },
    {
      when: 'there are two allowances',
      code: `${P}event_not_transfer`,
      events: () => [approve(), approve(), transfer(), settled()],
    },
    ...Object.entries({
      payer: { from: stranger },
      ceiling: { ceiling: CEILING + 1n },
      amount: { actual: ACTUAL + 1n },
    }).map(([what, change]) => ({
      when: `the contract says another ${what}`,
      code: `${P}event_not_transfer` as const,
      events: () => [approve(), transfer(), settled(change)],
    })),
    {
      when: 'the contract says nothing',
      code: `${P}event_not_transfer`,
      events: () => [approve(), transfer()],
    },
    {
      when: 'the contract says it twice',
      code: `${P}event_not_transfer`,
      events: () => [approve(), transfer(), settled(), settled()],
    },
    {
      when: 'nothing is transferred',
      code: `${P}no_transfer_events`,
      events: () => [approve(), settled()],
    },
    {
      when: 'there are two transfers',
      code: `${P}multiple_transfers`,
      events: () => [approve(), transfer(), transfer(), settled()],
    },
    {
      when: 'the transfer is from another',
      code: `${P}event_wrong_from`,
      events: () => [approve(), transfer({ from: stranger }), settled()],
    },
    {
      when: 'the transfer is to another',
      code: `${P}event_wrong_to`,
      events: () => [approve(), transfer({ to: stranger }), settled()],
    },
    {
      when: 'the transfer is of the ceiling',
      code: `${P}event_wrong_amount`,
      events: () => [approve(), transfer({ amount: CEILING }), settled()],
    },
  ])('are refused with $code when $when', ({ code, events }) => {
    expect(codeOf(partial, events())).toBe(code)
  })

  test.each<{ when: string; code: ReasonCode; events: () => HostEvent[] }>([
    {
      when: 'an allowance is made',
      code: `${P}event_not_transfer`,
      events: () => [approve(), settled({ actual: 0n })],
    },
    {
      when: 'something is transferred',
      code: `${P}multiple_transfers`,
      events: () => [transfer(), settled({ actual: 0n })],
    },
    { when: 'the contract says nothing', code: `${P}event_not_transfer`, events: () => [] },
  ])('are refused with $code when $when for an amount of zero', ({ code, events }) => {
    expect(codeOf(nothing, events())).toBe(code)
  })
})
