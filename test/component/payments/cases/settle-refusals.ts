/** Refusals of a settlement before anything is sent. */
import { expect } from 'vitest'
import { type ReasonCode, reasons } from '../../../../src/payments/protocol/reasons.ts'
import { asStroops } from '../../../../src/platform/core/amounts/stroops.ts'
import { rewrite } from '../../../support/ledger-surgery.ts'
import { transactionsAfter, trustlineKey } from '../../../support/ledger-view.ts'
import { refuseToSign } from '../../../support/refuse-to-sign.ts'
import { startRpcProxy } from '../../../support/rpc-proxy.ts'
import { unit } from '../../../support/stack.ts'
import { leasedChannels, rowOf, untilSent, untilState } from '../store-view.ts'
import { openWorld, type World } from '../world.ts'

/** One test, with its own service. */
export interface SettlementCase {
  readonly code: ReasonCode
  readonly when: string
  readonly prove: () => Promise<void>
}

const refusal = (code: ReasonCode, { payer }: Pick<World, 'payer'>, message?: unknown) => ({
  status: 200,
  success: false,
  errorReason: code,
  errorMessage: message ?? reasons[code].message,
  transaction: '',
  network: 'stellar:testnet',
  payer: payer.address,
})

const settle = async ({ stack }: World, body: unknown) => {
  const answer = await stack.post('/settle', body)
  return { status: answer.status, ...answer.body }
}

/** Expects that a refused settlement cost nothing and left no claim and no lease. */
async function expectNothingSent(world: World, sinceLedger: number): Promise<void> {
  const { localnet } = world.stack
  await localnet.closeLedger()
  expect(transactionsAfter(localnet.network, sinceLedger)).toEqual([])
  expect(await leasedChannels(world.stack)).toBe(0)
}

const newest = ({ stack }: World): number => stack.localnet.network.latest.sequence

const unavailableSponsor = (
  when: string,
  options: Parameters<typeof openWorld>[0],
  message?: string,
): SettlementCase => ({
  code: 'settle_exact_stellar_sponsor_unavailable',
  when,
  prove: async () => {
    await using world = await openWorld(options)
    const body = await world.pay()
    const ledger = newest(world)
    expect((await world.stack.post('/verify', body)).body).toMatchObject({ isValid: true })
    const code = 'settle_exact_stellar_sponsor_unavailable'
    expect(await settle(world, body)).toEqual(refusal(code, world, message))
    expect(await rowOf(world.stack, body)).toBeUndefined()
    await expectNothingSent(world, ledger)
  },
})

export const settleRefusals: readonly SettlementCase[] = [
  unavailableSponsor('while the sponsor holds less than its reserve', {
    network: { sponsorReserve: asStroops(100_000_000_000n) },
  }),
  unavailableSponsor('while the balance of the sponsor is unknown', {
    timings: { balanceStaleMs: -1 },
  }),
  unavailableSponsor(
    'when the fees of the last hour have used up the budget',
    { network: { hourlyBudget: asStroops(1_000n) } },
    'the fees of the last hour leave too little of the hourly budget for this one',
  ),
  unavailableSponsor(
    "when the caller's settlements of the last hour have used up its share of the budget",
    { network: { hourlyBudget: asStroops(100_000n), maxKeyShareOfBudgetPercent: 1 } },
    "this key's share of the hourly budget has too little left for this one",
  ),
  {
    code: 'settle_exact_stellar_payer_paused',
    when: 'after the payer spent its balance while its payment was under way',
    prove: async () => {
      const pause = { failures: 1, windowSeconds: 300, pauseSeconds: 60 }
      await using world = await openWorld({ network: { payers: { limitToFunds: true, pause } } })
      const { stack } = world
      stack.hold(true)
      const body = await world.pay()
      const settling = settle(world, body)
      await untilSent(stack, body)
      const setBalance = (balance: bigint) =>
        rewrite(stack.localnet.network, trustlineKey(world.payer.address), (data) => {
          if (data.type === 'trustline') Object.assign(data.trustLine, { balance })
        })
      setBalance(0n)
      await stack.localnet.closeLedger()
      const failed = await settling
      expect(failed).toMatchObject({ errorReason: 'settle_exact_stellar_transaction_failed' })

      stack.hold(false)
      setBalance(unit)
      const next = await world.pay()
      const ledger = newest(world)
      const code = 'settle_exact_stellar_payer_paused'
      const message = expect.stringMatching(
        / failed on the ledger by its own fault; .* \d+ s more$/,
      )
      expect(await settle(world, next)).toEqual(refusal(code, world, message))
      expect(await rowOf(stack, next)).toBeUndefined()
      await expectNothingSent(world, ledger)
      expect(await settle(world, body)).toEqual(failed)
    },
  },
  {
    code: 'settle_exact_stellar_idempotency_conflict',
    when: 'for another request over an authorization that is settled',
    prove: async () => {
      await using world = await openWorld()
      const body = await world.pay()
      expect(await settle(world, body)).toMatchObject({ success: true })
      const ledger = newest(world)
      const other = structuredClone(body)
      other.paymentPayload['resource'] = { url: 'https://seller.example/another-report' }
      const code = 'settle_exact_stellar_idempotency_conflict'
      expect(await settle(world, other)).toEqual(refusal(code, world))
      expect(await rowOf(world.stack, body)).toMatchObject({ state: 'succeeded', attempt: 1 })
      await expectNothingSent(world, ledger)
    },
  },
  {
    code: 'settle_exact_stellar_idempotency_conflict',
    when: 'for another request over an authorization that is being settled',
    prove: async () => {
      await using world = await openWorld()
      const { stack } = world
      stack.hold(true)
      const body = await world.pay()
      const first = settle(world, body)
      await untilSent(stack, body)
      const other = structuredClone(body)
      other.paymentPayload['extensions'] = { gift: true }
      const code = 'settle_exact_stellar_idempotency_conflict'
      expect(await settle(world, other)).toEqual(refusal(code, world))
      await stack.localnet.closeLedger()
      expect(await first).toMatchObject({ success: true })
    },
  },
  {
    code: 'settle_exact_stellar_settlement_in_progress',
    when: 'while another replica holds the claim; a later repeat gets the final answer',
    prove: async () => {
      await using world = await openWorld({
        network: { channelCount: 1 },
        timings: { duplicateWaitMs: 300, channelWaitMs: 30_000 },
      })
      const { stack } = world
      await using replica = await stack.replica()
      stack.hold(true)
      const [first, second] = [await world.pay(), await world.pay()]
      const holding = settle(world, first)
      await untilState(stack, first, 'submitted')
      const elsewhere = replica.post('/settle', second)
      await untilState(stack, second, 'claimed')
      const code = 'settle_exact_stellar_settlement_in_progress'
      expect(await settle(world, second)).toEqual(refusal(code, world))

      stack.hold(false)
      await stack.localnet.closeLedger()
      const { body } = await elsewhere
      expect(body).toMatchObject({ success: true })
      expect(await settle(world, second)).toEqual({ status: 200, ...body })
      expect(await holding).toMatchObject({ success: true })
      expect(await rowOf(stack, second)).toMatchObject({ state: 'succeeded', attempt: 1 })
    },
  },
  {
    code: 'settle_exact_stellar_channel_unavailable',
    when: 'while the only channel is in use; a retry after that succeeds',
    prove: async () => {
      await using world = await openWorld({
        network: { channelCount: 1 },
        timings: { channelWaitMs: 300 },
      })
      const { stack } = world
      stack.hold(true)
      const [first, second] = [await world.pay(), await world.pay()]
      const settling = settle(world, first)
      await untilState(stack, first, 'submitted')
      const code = 'settle_exact_stellar_channel_unavailable'
      expect(await settle(world, second)).toEqual(refusal(code, world))
      expect(await rowOf(stack, second)).toMatchObject({ state: 'released', recorded: undefined })

      stack.hold(false)
      await stack.localnet.closeLedger()
      expect(await settling).toMatchObject({ success: true })
      expect(await settle(world, second)).toMatchObject({ success: true })
      expect(await rowOf(stack, second)).toMatchObject({ state: 'succeeded', attempt: 2 })
      expect(await leasedChannels(stack)).toBe(0)
    },
  },
  {
    code: 'settle_exact_stellar_fee_bump_signing_failed',
    when: 'when the key of the sponsor does not sign; a retry after that succeeds',
    prove: async () => {
      await using world = await openWorld({ network: { channelCount: 1 } })
      const { stack } = world
      const signing = refuseToSign(stack.facilitator)
      const body = await world.pay()
      const ledger = newest(world)
      const code = 'settle_exact_stellar_fee_bump_signing_failed'
      expect(await settle(world, body)).toEqual(refusal(code, world))
      expect(await rowOf(stack, body)).toMatchObject({ state: 'released', recorded: undefined })
      await expectNothingSent(world, ledger)

      signing.mockRestore()
      expect(await settle(world, body)).toMatchObject({ success: true })
      expect(await rowOf(stack, body)).toMatchObject({ state: 'succeeded', attempt: 2 })
    },
  },
  {
    code: 'unexpected_settle_error',
    when: 'with HTTP 503 while the network is unreachable; a retry after that succeeds',
    prove: async () => {
      await using proxy = await startRpcProxy()
      await using world = await openWorld({ rpcThrough: proxy.forwardTo })
      const body = await world.pay()
      const ledger = newest(world)
      proxy.fail('simulateTransaction', { kind: 'hang up' })
      expect(await settle(world, body)).toMatchObject({
        status: 503,
        success: false,
        errorReason: 'unexpected_settle_error',
        errorMessage: 'the Stellar network cannot be reached',
        transaction: '',
        network: 'stellar:testnet',
        error: { code: 'service_unavailable', retryable: true },
      })
      expect(await rowOf(world.stack, body)).toBeUndefined()
      await expectNothingSent(world, ledger)

      proxy.heal()
      expect(await settle(world, body)).toMatchObject({ success: true })
    },
  },
  {
    code: 'unexpected_settle_error',
    when: 'with HTTP 503 when the network becomes unreachable between claim and record',
    prove: async () => {
      await using proxy = await startRpcProxy()
      await using world = await openWorld({
        rpcThrough: proxy.forwardTo,
        network: { channelCount: 1 },
      })
      const { stack } = world
      // Without a stored sequence number the channel's account is read from the ledger.
      await stack.store.db.updateTable('channels').set({ sequence: null }).execute()
      const body = await world.pay()
      const ledger = newest(world)
      proxy.fail('getLedgerEntries', { kind: 'status', status: 502 })
      expect(await settle(world, body)).toMatchObject({
        status: 503,
        errorReason: 'unexpected_settle_error',
        transaction: '',
      })
      expect(await rowOf(stack, body)).toMatchObject({ state: 'released' })
      await expectNothingSent(world, ledger)

      proxy.heal()
      expect(await settle(world, body)).toMatchObject({ success: true })
    },
  },
]
