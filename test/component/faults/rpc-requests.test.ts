import { expect, test, vi } from 'vitest'
import type { RpcProxy } from '../../support/rpc-proxy.ts'
import { untilPolled } from '../payments/health/health-world.ts'
import { openFaultWorld } from './fault-world.ts'

const ofSettlements = [
  'simulateTransaction',
  'sendTransaction',
  'getTransaction',
  'getTransactions',
  'getLedgerEntries',
]

/** Requests over the wire for settlements: the watcher's ticks are of the network. */
const requests = (proxy: RpcProxy | undefined): number => {
  if (!proxy) return 0
  const calls = ofSettlements.reduce((total, method) => total + proxy.count(method), 0)
  return calls - proxy.batches.calls + proxy.batches.requests
}

/** As they are in production, but for the monitor, whose readings are of the network too. */
const timings = { rebroadcastMs: 3_000, monitorMs: 600_000, rpcTimeoutMs: 60_000 }

test('a settlement alone costs three RPC requests', async () => {
  await using faulty = await openFaultWorld(1, { timings })
  const { world, proxies, settle } = faulty
  // The first poll simulates payments, too.
  await untilPolled(world.stack)
  const body = await world.pay()
  const before = requests(proxies[0])
  expect(await settle(body)).toMatchObject({ success: true })
  expect(requests(proxies[0]) - before).toBe(3)
})

test('of 30 settlements at once, each costs at most one and a half', {
  timeout: 400_000,
}, async () => {
  const count = 30
  await using faulty = await openFaultWorld(1, {
    network: { channelCount: count },
    // Counted from the first that is sent, while the last are still being signed.
    timings: { ...timings, rebroadcastMs: 60_000, confirmWindowMs: 200_000 },
  })
  const { world, proxies, settle } = faulty
  const { stack } = world
  await untilPolled(stack)
  const [proxy] = proxies
  const bodies = await Promise.all(Array.from({ length: count }, () => world.pay()))
  stack.hold(true)
  const taken = stack.taken.length
  const before = requests(proxy)
  const settling = Promise.all(bodies.map(settle))
  await vi.waitFor(() => expect(stack.taken.length).toBe(taken + count), { timeout: 120_000 })
  const closing = setInterval(() => void stack.localnet.closeLedger(), 1_000)
  const answers = await settling.finally(() => clearInterval(closing))
  expect(answers.filter(({ success }) => success)).toHaveLength(count)
  expect((requests(proxy) - before) / count).toBeLessThanOrEqual(1.5)
})
