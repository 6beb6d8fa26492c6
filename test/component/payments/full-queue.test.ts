import { expect, test, vi } from 'vitest'
import { startRpcProxy } from '../../support/rpc-proxy.ts'
import { rowOf } from './store-view.ts'
import { openWorld } from './world.ts'

const PAYMENTS = 12
/** 95 % of the six settlements that the queue holds. */
const IN_FLIGHT = 5

test('two replicas with more channels than the network queues settlements: none is refused', async () => {
  await using proxy = await startRpcProxy()
  await using world = await openWorld({
    rpcThrough: proxy.forwardTo,
    // The queue holds two ledgers, and a settlement counts as two transactions: 6 settlements.
    ledgerMaxTxCount: 6,
    network: { channelCount: PAYMENTS },
    timings: { channelWaitMs: 60_000, claimTtlMs: 120_000 },
  })
  const { stack, pay } = world
  await using replica = await stack.replica()
  const expirationLedger = stack.localnet.network.latest.sequence + 5 * PAYMENTS
  const plan = { maxTimeoutSeconds: 300, expirationLedger }
  const bodies = await Promise.all(Array.from({ length: PAYMENTS }, () => pay(plan)))
  const statuses: unknown[] = []
  const note = (result: Record<string, unknown>) => {
    statuses.push(result['status'])
    return result
  }
  proxy.fail('sendTransaction', { kind: 'rewrite', change: note })
  stack.hold(true)
  const waiting = () =>
    [stack, replica]
      .map(({ facilitator }) => facilitator.networks.get('stellar:testnet')?.channelQueue.length)
      .reduce<number>((sum, length = 0) => sum + length, 0)

  const answers = bodies.map((body, place) =>
    (place % 2 === 0 ? stack : replica).post('/settle', body),
  )
  const allWait = () => statuses.length >= IN_FLIGHT && statuses.length + waiting() >= PAYMENTS
  await vi.waitFor(() => expect(allWait()).toBe(true), { timeout: 120_000 })
  const sentAtOnce = [...statuses]
  stack.hold(false)
  await stack.localnet.closeLedger()

  for (const answer of answers) expect((await answer).body).toMatchObject({ success: true })
  expect(sentAtOnce).toEqual(Array.from({ length: IN_FLIGHT }, () => 'PENDING'))
  expect(statuses).not.toContain('ERROR')
  for (const body of bodies) {
    expect(await rowOf(stack, body)).toMatchObject({ state: 'succeeded', attempt: 1 })
  }
})
