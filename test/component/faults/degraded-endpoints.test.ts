import { expect, test, vi } from 'vitest'
import { RpcError } from '../../../src/stellar/rpc/rpc.ts'
import type { RpcFault } from '../../support/rpc-proxy.ts'
import { expectEnd, expired, openFaultWorld, settled } from './fault-world.ts'

type Json = Record<string, unknown>

const replace = (change: (name: string, ledger: number) => number): RpcFault => ({
  kind: 'rewrite',
  change: (result: Json) =>
    Object.fromEntries(
      Object.entries(result).map(([name, value]) => [
        name,
        typeof value === 'number' ? change(name, value) : value,
      ]),
    ),
})
const absurd = replace((name, value) =>
  name === 'latestLedger' || name === 'sequence' ? 4_000_000_000 : value,
)
const oneBehind = replace((name, value) => (name === 'latestLedger' ? value - 1 : value))
const shortHistory: RpcFault = {
  kind: 'rewrite',
  change: (result: Json) => ({
    ...result,
    oldestLedger: result['latestLedger'],
    oldestLedgerCloseTime: result['latestLedgerCloseTime'],
  }),
}

test('an endpoint that claims an absurd ledger stops no payment while another one serves', async () => {
  await using faulty = await openFaultWorld(2)
  const { world, proxies, settle } = faulty
  proxies[0]?.fail('*', absurd)
  for (let count = 0; count < 3; count++) {
    const body = await world.pay()
    const after = world.stack.localnet.network.latest.sequence
    await expectEnd(faulty, { body, after, answer: await settle(body) }, settled)
  }
  proxies[0]?.heal()
  expect(await settle(await world.pay())).toMatchObject({ success: true })
})

test('no verification fails while both endpoints simulate on the ledger before the latest', async () => {
  await using faulty = await openFaultWorld(2)
  const { world, proxies, settle } = faulty
  expect(await settle(await world.pay())).toMatchObject({ success: true })
  for (const proxy of proxies) proxy.fail('simulateTransaction', oneBehind)
  const bodies = await Promise.all(Array.from({ length: 20 }, () => world.pay()))
  const answers = await Promise.all(bodies.map((body) => world.stack.post('/verify', body)))
  expect(answers.map(({ status, body }) => [status, body.isValid])).toEqual(
    bodies.map(() => [200, true]),
  )
})

test('an endpoint that refuses simulations for a minute delays no settlement in progress', async () => {
  await using faulty = await openFaultWorld(1)
  const { world, proxies, settle, untilRecorded } = faulty
  const { stack } = world
  const [proxy] = proxies
  stack.hold(true)
  const body = await world.pay()
  const after = stack.localnet.network.latest.sequence
  // The first send is lost, so that the settlement needs another one.
  proxy?.fail('sendTransaction', { kind: 'hang up' }, 3)
  const settling = settle(body)
  await untilRecorded(body)
  proxy?.fail('simulateTransaction', { kind: 'status', status: 429, retryAfterSeconds: 60 })
  expect(await stack.post('/verify', await world.pay())).toMatchObject({ status: 503 })
  await vi.waitFor(() => expect(stack.taken.length).toBeGreaterThan(0), { timeout: 120_000 })
  stack.hold(false)
  await stack.localnet.closeLedger()
  await expectEnd(faulty, { body, after, answer: await settling }, settled)
})

test('an endpoint with a short history does not keep another one from proving that a payment expired', async () => {
  await using faulty = await openFaultWorld(2, { timings: { validitySeconds: 25 } })
  const { world, proxies, settle, untilRecorded, untilTooLate } = faulty
  proxies[1]?.fail('getTransaction', shortHistory)
  for (const proxy of proxies) proxy.fail('sendTransaction', { kind: 'swallow' })
  const body = await world.pay()
  const after = world.stack.localnet.network.latest.sequence
  const settling = settle(body)
  await untilRecorded(body)
  await untilTooLate(body)
  await expectEnd(faulty, { body, after, answer: await settling }, expired)
})

test('a payment whose simulation finds every queue full is answered with 503 and Retry-After', async () => {
  await using faulty = await openFaultWorld(1)
  const { world, row } = faulty
  const { stack } = world
  const rpc = stack.facilitator.networks.get('stellar:testnet')?.rpc
  if (!rpc) throw new Error('no network')
  const full = vi
    .spyOn(rpc, 'simulate')
    .mockRejectedValue(new RpcError('queue_full', 'simulateTransaction', 'too many'))
  const body = await world.pay()
  for (const path of ['/verify', '/settle'] as const) {
    const { status, headers, body: answer } = await stack.post(path, body)
    expect(status).toBe(503)
    expect(headers.get('retry-after')).toBe('1')
    expect(answer.error).toMatchObject({ code: 'service_unavailable', retryable: true })
    expect(answer.invalidMessage ?? answer.errorMessage).toBe(
      'too many requests wait for the Stellar network',
    )
  }
  expect(await row(body)).toBeUndefined()
  full.mockRestore()
  expect(await faulty.settle(body)).toMatchObject({ success: true })
})
