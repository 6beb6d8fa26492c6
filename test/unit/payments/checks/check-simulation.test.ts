import { Address, SorobanDataBuilder, xdr } from '@stellar/stellar-sdk'
import { beforeAll, describe, expect, it, test } from 'vitest'
import { checkPayment } from '../../../../src/payments/checks/check-payment.ts'
import { checkSimulation } from '../../../../src/payments/checks/check-simulation.ts'
import type { ReasonCode } from '../../../../src/payments/protocol/reasons.ts'
import type { Payment } from '../../../../src/payments/schemes/scheme.ts'
import { asStroops } from '../../../../src/platform/core/amounts/stroops.ts'
import type { OutputSizes, Simulation, SimulationSuccess } from '../../../../src/stellar/rpc/rpc.ts'
import {
  settlementResources,
  type TransactionResources,
} from '../../../../src/stellar/transactions/transaction-resources.ts'
import type { HostEvent, ScValue } from '../../../../src/stellar/values/sc-value.ts'
import {
  asset,
  keyOf,
  otherContract,
  payer,
  policy,
  request,
  seller,
  smartAccount,
  smartAccountTransaction,
} from '../protocol/payment-builder.ts'

const P = 'invalid_exact_stellar_payload_'
const E = 'invalid_exact_stellar_signature_'

const symbol = (value: string): ScValue => ({ type: 'symbol', value })
const address = (value: string): ScValue => ({ type: 'address', value })
const i128 = (value: bigint): ScValue => ({ type: 'i128', value })

const transfer = (change: Partial<HostEvent> = {}): HostEvent => ({
  kind: 'contract',
  inSuccessfulCall: true,
  contract: asset,
  topics: [symbol('transfer'), address(payer), address(seller)],
  data: i128(100_000n),
  ...change,
})

const transferBetween = (from: string, to: string): HostEvent =>
  transfer({ topics: [symbol('transfer'), address(from), address(to)] })

const accountKey = (seed: number) =>
  xdr.LedgerKey.account(new xdr.LedgerKeyAccount({ accountId: keyOf(seed).xdrPublicKey() }))
const codeKey = xdr.LedgerKey.contractCode(
  new xdr.LedgerKeyContractCode({ hash: new Uint8Array(32) }),
)

const dataKey = (bytes: number) =>
  xdr.LedgerKey.contractData(
    new xdr.LedgerKeyContractData({
      contract: Address.fromString(asset).toScAddress(),
      key: xdr.ScVal.scvBytes(new Uint8Array(bytes)),
      durability: xdr.ContractDataDurability.persistent,
    }),
  )

interface SimulationChange {
  readonly data?: SorobanDataBuilder
  readonly output?: Partial<OutputSizes>
}

/** Of a call that uses all that `limits` allow. */
const usesAll = () =>
  new SorobanDataBuilder()
    .setResourceFee(30_000)
    .setResources(1_000_000, 400, 300)
    .setFootprint([accountKey(1)], [codeKey])
const transactionData = usesAll().build().toXdr('base64')

const success = (change: Partial<SimulationSuccess> = {}): SimulationSuccess => ({
  kind: 'ok',
  latestLedger: 1_000,
  minResourceFee: asStroops(30_000n),
  transactionData,
  events: [transfer()],
  output: { emittedBytes: 500, dataEntryBytes: 200, codeEntryBytes: 0 },
  needsRestore: false,
  ...change,
})

const limits: TransactionResources = {
  ...{ instructions: 1_000_000, transactionBytes: 1_500, footprintEntries: 2, keyBytes: 44 },
  ...{ diskReads: 1, diskReadBytes: 400, writes: 1, writeBytes: 300 },
  ...{ emittedBytes: 500, dataEntryBytes: 200, codeEntryBytes: 0 },
}
const terms = { secondsPerLedger: 5, inclusionFee: asStroops(100n), limits }

let payment: Payment
let smartPayment: Payment

beforeAll(async () => {
  const [plain, smart] = [
    checkPayment(await request(), policy, 'settle'),
    checkPayment(await request({ transaction: await smartAccountTransaction() }), policy, 'settle'),
  ]
  if (!plain.ok || !smart.ok) throw new Error('the payments were refused')
  payment = plain.payment
  smartPayment = smart.payment
})

const check = (simulation: Simulation, change: Partial<Payment> = {}) =>
  checkSimulation({ ...payment, ...change }, simulation, terms, policy)

const expiringAt = (expirationLedger: number): Partial<Payment> => ({
  authorization: { ...payment.authorization, expirationLedger },
})

describe('checkSimulation', () => {
  it('quotes the fee of both operations and the resource fee once', () => {
    expect(check(success())).toEqual({
      ok: true,
      quote: {
        latestLedger: 1_000,
        simulatedOn: 1_000,
        transactionData,
        inclusionFee: 100n,
        resourceFee: 30_000n,
        totalFee: 30_200n,
      },
    })
  })

  test.each<[number, ReasonCode | undefined]>([
    [1, `${E}expired`],
    [999, `${E}expired`],
    [1_000, `${E}expiration_too_soon`],
    [1_001, undefined],
    // 60 s at 5 s a ledger, and the tolerance of two.
    [1_014, undefined],
    [1_015, `${E}expiration_too_far`],
  ])('checks an expiry at ledger %i when the newest is 1000', (ledger, code) => {
    const verdict = check(success(), expiringAt(ledger))
    expect(verdict.ok ? undefined : verdict.refusal.code).toBe(code)
  })

  it.each([
    { secondsPerLedger: 4, last: 1_017 },
    // The network has stood still: a client that assumes five seconds is not refused.
    { secondsPerLedger: 40, last: 1_014 },
  ])(
    'takes an expiry up to ledger $last at $secondsPerLedger s a ledger',
    ({ secondsPerLedger, last }) => {
      const at = (ledger: number) =>
        checkSimulation(
          { ...payment, ...expiringAt(ledger) },
          success(),
          { ...terms, secondsPerLedger },
          policy,
        ).ok
      expect([at(last), at(last + 1)]).toEqual([true, false])
    },
  )

  it('keeps the configured margin', () => {
    const cautious = { ...policy, expirationMarginLedgers: 3 }
    const at = (ledger: number) =>
      checkSimulation({ ...payment, ...expiringAt(ledger) }, success(), terms, cautious)
    expect(at(1_002)).toMatchObject({ refusal: { code: `${E}expiration_too_soon` } })
    expect(at(1_003)).toMatchObject({ ok: true })
  })

  it('needs one more ledger even with a margin of 0', () => {
    const bold = { ...policy, expirationMarginLedgers: 0 }
    const late = { ...payment, ...expiringAt(1_000) }
    expect(checkSimulation(late, success(), terms, bold)).toMatchObject({
      refusal: { code: `${E}expiration_too_soon` },
    })
  })

  it('checks the expiry of a simulation on an older ledger against the latest one', () => {
    const older = { ...success(), simulatedOn: 997 }
    expect(check(older, expiringAt(1_000))).toMatchObject({
      refusal: { code: `${E}expiration_too_soon` },
    })
    const quote = { latestLedger: 1_000, simulatedOn: 997 }
    expect(check(older, expiringAt(1_014))).toMatchObject({ ok: true, quote })
  })

  it('answers expiry before any failure that it causes', () => {
    const failed: Simulation = {
      kind: 'failed',
      latestLedger: 2_000,
      error: 'HostError: Error(Auth, InvalidInput)',
      events: [],
    }
    expect(check(failed)).toMatchObject({ refusal: { code: `${E}expired`, payer } })
  })

  it('does not check expiry when the endpoint read no ledger', () => {
    const refused: Simulation = { kind: 'failed', latestLedger: 0, error: 'busy', events: [] }
    expect(check(refused)).toMatchObject({ refusal: { code: `${P}simulation_failed` } })
  })

  it('refuses state that would have to be restored', () => {
    expect(check(success({ needsRestore: true }))).toMatchObject({
      refusal: { code: `${P}archived_state`, payer },
    })
  })

  test.each<[keyof TransactionResources, RegExp, SimulationChange]>([
    ['instructions', /1000001 instructions/, { data: usesAll().setResources(1_000_001, 400, 300) }],
    ['diskReadBytes', /401 bytes read/, { data: usesAll().setResources(1_000_000, 401, 300) }],
    ['writeBytes', /301 bytes written/, { data: usesAll().setResources(1_000_000, 400, 301) }],
    ['footprintEntries', /3 entries in its/, { data: usesAll().appendFootprint([dataKey(1)], []) }],
    [
      'diskReads',
      /2 entries read/,
      { data: usesAll().setFootprint([accountKey(1), accountKey(2)], []) },
    ],
    ['writes', /2 entries written/, { data: usesAll().setFootprint([], [codeKey, accountKey(1)]) }],
    ['keyBytes', /\d+ bytes in the key/, { data: usesAll().setFootprint([], [dataKey(8)]) }],
    ['dataEntryBytes', /201 bytes in an entry of data/, { output: { dataEntryBytes: 201 } }],
    ['codeEntryBytes', /1 bytes in an entry of code/, { output: { codeEntryBytes: 1 } }],
    ['emittedBytes', /501 bytes of events/, { output: { emittedBytes: 501 } }],
  ])('refuses what needs more %s than the network allows', (name, says, { data, output }) => {
    const given = success()
    const simulation = {
      ...given,
      ...(data && { transactionData: data.build().toXdr('base64') }),
      output: { ...given.output, ...output },
    }
    expect(check(simulation)).toMatchObject({
      refusal: {
        code: `${P}simulation_failed`,
        message: expect.stringMatching(says),
        payer,
      },
    })
    expect(check(simulation)).toMatchObject({
      refusal: { message: expect.stringMatching(new RegExp(`transaction ${limits[name]}$`)) },
    })
    const unknown = { ...terms, limits: undefined }
    expect(checkSimulation(payment, simulation, unknown, policy)).toMatchObject({ ok: true })
  })

  it('refuses a transaction that is too large, whatever its call needs', () => {
    const { transactionBytes } = settlementResources(payment.invocation, success(), false)
    const within = (bytes: number) => ({ ...terms, limits: { ...limits, transactionBytes: bytes } })
    const at = (bytes: number) => checkSimulation(payment, success(), within(bytes), policy)
    expect(at(transactionBytes)).toMatchObject({ ok: true })
    expect(at(transactionBytes - 1)).toMatchObject({
      refusal: { code: `${P}simulation_failed`, message: expect.stringMatching(/bytes in all/) },
    })
  })

  test.each<[bigint, boolean]>([
    [299_800n, true],
    [299_801n, false],
  ])('a resource fee of %i beside a ceiling of 300000: accepted is %s', (fee, ok) => {
    const data = usesAll().setResourceFee(fee).build().toXdr('base64')
    const verdict = check(success({ transactionData: data }))
    expect(verdict.ok).toBe(ok)
    if (verdict.ok) return
    expect(verdict.refusal.code).toBe(`${P}fee_exceeds_maximum`)
    expect(verdict.refusal.message).toContain('300001 stroops, the ceiling is 300000')
  })

  test.each<{ when: string; events: HostEvent[]; code: ReasonCode }>([
    {
      when: 'the recipient issues the asset',
      events: [transfer({ topics: [symbol('burn'), address(payer)] })],
      code: `${P}event_not_transfer`,
    },
    {
      when: 'an allowance is given beside the transfer',
      events: [
        transfer(),
        transfer({ topics: [symbol('approve'), address(payer), address(seller)] }),
      ],
      code: `${P}event_not_transfer`,
    },
    {
      when: 'a third contract emits an event',
      events: [transfer(), transfer({ contract: otherContract, topics: [symbol('hello')] })],
      code: `${P}event_not_transfer`,
    },
    {
      when: 'there is a system event',
      events: [transfer(), transfer({ kind: 'system' })],
      code: `${P}event_not_transfer`,
    },
    {
      when: 'a transfer has too few topics',
      events: [transfer({ topics: [symbol('transfer'), address(payer)] })],
      code: `${P}event_not_transfer`,
    },
    {
      when: 'an event names no contract',
      events: [
        {
          kind: 'contract',
          inSuccessfulCall: true,
          topics: transfer().topics,
          data: i128(100_000n),
        },
      ],
      code: `${P}event_missing_contract_id`,
    },
    {
      when: 'another asset is transferred',
      events: [transfer(), transfer({ contract: otherContract })],
      code: `${P}event_wrong_asset`,
    },
    { when: 'nothing is emitted', events: [], code: `${P}no_transfer_events` },
    {
      when: 'the transfer was rolled back',
      events: [transfer({ inSuccessfulCall: false })],
      code: `${P}no_transfer_events`,
    },
    { when: 'two transfers', events: [transfer(), transfer()], code: `${P}multiple_transfers` },
    {
      when: 'from another',
      events: [transferBetween(keyOf(9).publicKey(), seller)],
      code: `${P}event_wrong_from`,
    },
    {
      when: 'to another',
      events: [transferBetween(payer, keyOf(9).publicKey())],
      code: `${P}event_wrong_to`,
    },
    {
      when: 'to a customer of payTo',
      events: [
        transfer({
          data: {
            type: 'map',
            entries: [
              [symbol('amount'), i128(100_000n)],
              [symbol('to_muxed_id'), { type: 'u64', value: 42n }],
            ],
          },
        }),
      ],
      code: `${P}event_wrong_to`,
    },
    {
      when: 'of another amount',
      events: [transfer({ data: i128(99_999n) })],
      code: `${P}event_wrong_amount`,
    },
    {
      when: 'of no readable amount',
      events: [transfer({ data: { type: 'void' } })],
      code: `${P}event_wrong_amount`,
    },
  ])('refuses with $code when $when', ({ events, code }) => {
    expect(check(success({ events }))).toMatchObject({
      ok: false,
      refusal: { code, message: expect.stringMatching(/expected|emits|names|without/), payer },
    })
  })

  it('ignores diagnostic events', () => {
    const call = transfer({ kind: 'diagnostic', topics: [symbol('fn_call')] })
    expect(check(success({ events: [call, transfer()] }))).toMatchObject({ ok: true })
  })

  describe('of a smart account', () => {
    const own = transfer({ contract: smartAccount, topics: [symbol('spent')] })
    const moved = transferBetween(smartAccount, seller)
    const judgeSmart = (events: HostEvent[]) =>
      checkSimulation(smartPayment, success({ events }), terms, policy)

    it('allows other events of the account', () => {
      expect(judgeSmart([own, moved])).toMatchObject({ ok: true })
    })

    it('does not accept a transfer event of the account itself', () => {
      const claimed = { ...moved, contract: smartAccount }
      expect(judgeSmart([claimed])).toMatchObject({
        refusal: { code: `${P}no_transfer_events`, payer: smartAccount },
      })
    })

    it('still counts every transfer of the asset', () => {
      expect(judgeSmart([own, moved, moved])).toMatchObject({
        refusal: { code: `${P}multiple_transfers` },
      })
    })
  })
})
