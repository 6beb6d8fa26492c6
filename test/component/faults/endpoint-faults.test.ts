import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { RpcFault } from '../../support/rpc-proxy.ts'
import { expectEnd, type FaultWorld, openFaultWorld, settled } from './fault-world.ts'

const methods = [
  'simulateTransaction',
  'sendTransaction',
  'getTransaction',
  'getLatestLedger',
] as const

const faults: Readonly<Record<string, RpcFault>> = {
  'asks to slow down (429)': { kind: 'status', status: 429 },
  'has broken down (500)': { kind: 'status', status: 500 },
  'never answers': { kind: 'hang' },
  'answers garbage': { kind: 'garbage', text: '<html>' },
  'hangs up': { kind: 'hang up' },
}

/** For a request that hangs; others may take long on a busy machine. */
const soonLate = { rpcTimeoutMs: 2_000 }

describe('a payment is settled once though the only endpoint, for a moment,', () => {
  let faulty: FaultWorld
  beforeAll(async () => {
    faulty = await openFaultWorld(1, { timings: soonLate })
  })
  afterAll(() => faulty?.[Symbol.asyncDispose]())

  const cases = Object.entries(faults).flatMap(([when, fault]) =>
    methods.map((method) => ({ when, fault, method })),
  )
  test.each(cases)('$when at $method', async ({ fault, method }) => {
    const { world, proxies, settle } = faulty
    const body = await world.pay()
    const after = world.stack.localnet.network.latest.sequence
    proxies[0]?.fail(method, fault, 1)
    const answer = await settle(body)
    await expectEnd(faulty, { body, after, answer }, settled)
  })
})

/** Sent again only long after the answer: so each send counts. */
const rarelySent = { rebroadcastMs: 60_000 }

describe('a payment is settled once, and at once, though the first of two endpoints', () => {
  test.each(Object.entries(faults))('%s at every request', async (_when, fault) => {
    const timings = { ...rarelySent, ...(fault.kind === 'hang' && soonLate) }
    await using faulty = await openFaultWorld(2, { timings })
    const { world, proxies, settle } = faulty
    const [first, second] = proxies
    const body = await world.pay()
    const after = world.stack.localnet.network.latest.sequence
    const sent = second?.count('sendTransaction') ?? 0
    first?.fail('*', fault)
    const answer = await settle(body)
    await expectEnd(faulty, { body, after, answer }, settled)
    expect(second?.count('sendTransaction')).toBe(sent + 1)

    // No request waits for the first endpoint again.
    const asked = first?.count('simulateTransaction')
    expect(await settle(await world.pay())).toMatchObject({ success: true })
    expect(first?.count('simulateTransaction')).toBe(asked)
  })

  test('lags three ledgers behind', async () => {
    await using faulty = await openFaultWorld(2, { timings: rarelySent })
    const { world, proxies, settle } = faulty
    const [first, second] = proxies
    const body = await world.pay()
    const after = world.stack.localnet.network.latest.sequence
    const sent = proxies.map((proxy) => proxy.count('sendTransaction'))
    first?.lag(3)
    // The service learns of it from an answer.
    const asked = first?.count('getLatestLedger') ?? 0
    await vi.waitFor(() => expect(first?.count('getLatestLedger')).toBeGreaterThan(asked + 1), {
      timeout: 120_000,
    })
    const answer = await settle(body)
    await expectEnd(faulty, { body, after, answer }, settled)
    expect(first?.count('sendTransaction')).toBe(sent[0])
    expect(second?.count('sendTransaction')).toBe(1 + (sent[1] ?? 0))
  })
})

test('no endpoint answers: nothing is claimed or sent, and a retry pays once they answer', async () => {
  await using faulty = await openFaultWorld(2)
  const { world, proxies, settle, row } = faulty
  const body = await world.pay()
  const after = world.stack.localnet.network.latest.sequence
  for (const proxy of proxies) proxy.fail('*', { kind: 'hang up' })
  expect(await settle(body)).toMatchObject({
    status: 503,
    success: false,
    errorReason: 'unexpected_settle_error',
  })
  expect(await row(body)).toBeUndefined()
  for (const proxy of proxies) proxy.heal()
  const answer = await settle(body)
  await expectEnd(faulty, { body, after, answer }, settled)
})

test('all endpoints stop answering after the send: it is settled once they answer', async () => {
  await using faulty = await openFaultWorld(2)
  const { world, proxies, settle, untilRecorded, row } = faulty
  const { stack } = world
  stack.hold(true)
  const body = await world.pay()
  const after = stack.localnet.network.latest.sequence
  const taken = stack.taken.length
  const settling = settle(body)
  await vi.waitFor(() => expect(stack.taken.length).toBe(taken + 1), { timeout: 120_000 })
  for (const proxy of proxies) proxy.fail('*', { kind: 'hang up' })
  await stack.localnet.closeLedger()
  const asked = proxies[0]?.count('getLatestLedger') ?? 0
  await vi.waitFor(() => expect(proxies[0]?.count('getLatestLedger')).toBeGreaterThan(asked + 3), {
    timeout: 120_000,
    interval: 50,
  })
  await untilRecorded(body)
  expect(await row(body)).toMatchObject({ state: 'submitted' })
  for (const proxy of proxies) proxy.heal()
  const answer = await settling
  await expectEnd(faulty, { body, after, answer }, settled)
})
