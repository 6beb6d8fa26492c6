/** Outcomes of a recorded settlement other than success. */
import { SorobanDataBuilder } from '@stellar/stellar-sdk'
import { expect, vi } from 'vitest'
import { type ReasonCode, reasons } from '../../../../src/payments/protocol/reasons.ts'
import { transactionsAfter, transfersOf, usdcOf } from '../../../support/ledger-view.ts'
import { openWallet, type PaymentBody, usdc } from '../../../support/payments.ts'
import { startRpcProxy } from '../../../support/rpc-proxy.ts'
import { spendNonce } from '../consume.ts'
import { leasedChannels, rowOf, untilState } from '../store-view.ts'
import { openWorld, type World } from '../world.ts'
import type { SettlementCase } from './settle-refusals.ts'

const settle = async ({ stack }: World, body: PaymentBody) => {
  const answer = await stack.post('/settle', body)
  return { status: answer.status, ...answer.body }
}

const ended = (
  code: ReasonCode,
  { payer }: Pick<World, 'payer'>,
  message: unknown = reasons[code].message,
) => ({
  status: 200,
  success: false,
  errorReason: code,
  errorMessage: message,
  transaction: expect.stringMatching(/^[0-9a-f]{64}$/),
  network: 'stellar:testnet',
  payer: payer.address,
})

/** The answer is stored, and every repeat gets it. */
async function expectStored(
  world: World,
  body: PaymentBody,
  { status, ...response }: { status: number } & Record<string, unknown>,
  state: 'failed' | 'expired',
): Promise<void> {
  const row = await rowOf(world.stack, body)
  expect(row).toMatchObject({ state, outcome: { response } })
  expect(row?.recorded?.txHash).toBe(response['transaction'])
  expect(await settle(world, body)).toEqual({ status, ...response })
  expect(await leasedChannels(world.stack)).toBe(0)
}

const withResourceFee = (fee: number) => (result: Record<string, unknown>) => {
  const data = new SorobanDataBuilder(String(result['transactionData'])).setResourceFee(fee)
  return { ...result, transactionData: data.build().toXdr('base64') }
}

export const settleOutcomes: readonly SettlementCase[] = [
  {
    code: 'settle_exact_stellar_transaction_submission_failed',
    when: 'when the network finds the transaction invalid',
    prove: async () => {
      await using proxy = await startRpcProxy()
      await using world = await openWorld({
        rpcThrough: proxy.forwardTo,
        network: { channelCount: 1 },
        timings: { validitySeconds: 40, rebroadcastMs: 200, refusedWaitMs: 300 },
      })
      const { stack } = world
      const { localnet } = stack
      const ledger = localnet.network.latest.sequence
      // A simulation that declares less than what the resources cost.
      proxy.fail('simulateTransaction', { kind: 'rewrite', change: withResourceFee(1) })
      const body = await world.pay()
      const answer = await settle(world, body)
      proxy.heal()
      const code = 'settle_exact_stellar_transaction_submission_failed'
      const message = 'the network refused the transaction: txSorobanInvalid'
      expect(answer).toEqual(ended(code, world, message))
      // One endpoint says so: the authorization and the channel are free once no ledger can include the transaction.
      expect(await rowOf(stack, body)).toMatchObject({ state: 'submitted' })
      expect(await leasedChannels(stack)).toBe(1)
      const maxTime = (await rowOf(stack, body))?.recorded?.maxTime ?? 0
      while (localnet.network.latest.closeTime <= maxTime) await localnet.closeLedger()
      await untilState(stack, body, 'expired')
      const stored = await settle(world, body)
      expect(stored.transaction).toBe(answer.transaction)
      await expectStored(world, body, stored, 'expired')
      expect(transactionsAfter(localnet.network, ledger)).toEqual([])
      // The channel's sequence number is read from the ledger before its next use.
      expect(await settle(world, await world.pay())).toMatchObject({ success: true })
    },
  },
  {
    code: 'settle_exact_stellar_transaction_failed',
    when: 'for the second of two payments by a payer who can afford one, without the limit to its funds',
    prove: async () => {
      await using world = await openWorld({ network: { payers: { limitToFunds: false } } })
      const { stack, seller } = world
      const { network } = stack.localnet
      const payer = await openWallet(stack.localnet, 150_000n)
      stack.hold(true)
      const bodies = [await world.pay({ payer }), await world.pay({ payer })] as const
      const before = network.latest.sequence
      const paid = usdcOf(network, seller.address) ?? 0n
      const taken = stack.taken.length
      const settling = Promise.all(bodies.map((body) => settle(world, body)))
      await vi.waitFor(() => expect(stack.taken.length).toBe(taken + 2), { timeout: 120_000 })
      await stack.localnet.closeLedger()
      const answers = await settling

      const failed = answers.findIndex(({ success }) => !success)
      const message = expect.stringMatching(
        /^the transaction failed on ledger \d+: txFailed, invokeHostFunctionTrapped: the payer G\w+ holds less USDC than the payment takes$/,
      )
      expect(answers[failed]).toEqual(
        ended('settle_exact_stellar_transaction_failed', { payer }, message),
      )
      expect(answers[1 - failed]).toMatchObject({ success: true })
      await expectStored(world, bodies[failed]!, answers[failed], 'failed')
      const applied = transactionsAfter(network, before)
      expect(applied.map(({ successful }) => successful).sort()).toEqual([false, true])
      expect(applied.flatMap(transfersOf)).toHaveLength(1)
      expect(usdcOf(network, payer.address)).toBe(50_000n)
      expect(usdcOf(network, seller.address)).toBe(paid + 100_000n)
    },
  },
  {
    code: 'settle_exact_stellar_transaction_failed',
    when: 'when the payer uses the nonce for another call first',
    prove: async () => {
      await using proxy = await startRpcProxy()
      await using world = await openWorld({
        rpcThrough: proxy.forwardTo,
        timings: { rebroadcastMs: 300 },
      })
      const { stack } = world
      const body = await world.pay()
      const ledger = stack.localnet.network.latest.sequence
      proxy.fail('sendTransaction', { kind: 'swallow' })
      const settling = settle(world, body)
      await untilState(stack, body, 'submitted')
      await spendNonce(world, body, { payer: world.payer, payTo: world.seller.address })
      proxy.heal()

      const answer = await settling
      const code = 'settle_exact_stellar_transaction_failed'
      const message = expect.stringMatching(/^the transaction failed on ledger \d+: txFailed, /)
      expect(answer).toEqual(ended(code, world, message))
      await expectStored(world, body, answer, 'failed')
      const applied = transactionsAfter(stack.localnet.network, ledger)
      expect(applied.flatMap(transfersOf).filter(({ contract }) => contract === usdc)).toEqual([])
    },
  },
  {
    code: 'settle_exact_stellar_transaction_expired',
    when: 'when no ledger includes the transaction before its max time',
    prove: async () => {
      await using proxy = await startRpcProxy()
      await using world = await openWorld({
        rpcThrough: proxy.forwardTo,
        network: { channelCount: 1 },
        timings: { validitySeconds: 40, rebroadcastMs: 200 },
      })
      const { stack } = world
      const { localnet } = stack
      proxy.fail('sendTransaction', { kind: 'swallow' })
      const body = await world.pay()
      const ledger = localnet.network.latest.sequence
      const settling = settle(world, body)
      await untilState(stack, body, 'submitted')
      const maxTime = (await rowOf(stack, body))?.recorded?.maxTime ?? 0
      // Until a ledger closes after its max time, it may still land.
      while (localnet.network.latest.closeTime < maxTime) await localnet.closeLedger()
      await vi.waitFor(() => expect(proxy.count('sendTransaction')).toBeGreaterThan(2), {
        timeout: 120_000,
      })
      expect(await rowOf(stack, body)).toMatchObject({ state: 'submitted' })
      await localnet.closeLedger()

      const answer = await settling
      const code = 'settle_exact_stellar_transaction_expired'
      const newest = localnet.network.latest.closeTime
      const message = `no ledger included it before its max time ${maxTime}; the latest closed at ${newest}`
      expect(answer).toEqual(ended(code, world, message))
      proxy.heal()
      await expectStored(world, body, answer, 'expired')
      expect(transactionsAfter(localnet.network, ledger)).toEqual([])
      expect(await settle(world, await world.pay())).toMatchObject({ success: true })
    },
  },
  {
    code: 'settlement_pending',
    when: 'while no ledger closes; a repeat ends in the same transaction',
    prove: async () => {
      await using world = await openWorld({ timings: { confirmWindowMs: 300 } })
      const { stack } = world
      const { network } = stack.localnet
      stack.hold(true)
      const body = await world.pay()
      const ledger = network.latest.sequence
      const pending = await settle(world, body)
      expect(pending).toEqual(ended('settlement_pending', world))
      expect(await rowOf(stack, body)).toMatchObject({
        state: 'submitted',
        recorded: { txHash: pending.transaction },
      })
      expect(await leasedChannels(stack)).toBe(1)

      const again = settle(world, body)
      await stack.localnet.closeLedger()
      const { transaction } = pending
      expect(await again).toMatchObject({ success: true, transaction })
      expect(transactionsAfter(network, ledger).map(({ hash }) => hash)).toEqual([transaction])
      expect(await rowOf(stack, body)).toMatchObject({ state: 'succeeded' })
      expect(await leasedChannels(stack)).toBe(0)
    },
  },
  {
    code: 'settlement_pending',
    when: 'while the endpoint cannot find the transaction; it succeeds once it can',
    prove: async () => {
      await using proxy = await startRpcProxy()
      await using world = await openWorld({
        rpcThrough: proxy.forwardTo,
        timings: { confirmWindowMs: 300, rebroadcastMs: 200 },
      })
      const { stack } = world
      const body = await world.pay()
      const ledger = stack.localnet.network.latest.sequence
      proxy.fail('getTransaction', { kind: 'status', status: 503 })
      const pending = await settle(world, body)
      expect(pending).toEqual(ended('settlement_pending', world))

      proxy.heal()
      const { transaction } = pending
      expect(await settle(world, body)).toMatchObject({ success: true, transaction })
      const hashes = transactionsAfter(stack.localnet.network, ledger).map(({ hash }) => hash)
      expect(hashes).toEqual([transaction])
    },
  },
]
