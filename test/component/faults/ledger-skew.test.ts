import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { PaymentBody } from '../../support/payments.ts'
import { type RpcProxy, startRpcProxy } from '../../support/rpc-proxy.ts'
import { clientLines } from '../../support/stock/client-lines.ts'
import { accountWithUsdc, payloadFor, priceFor, reach } from '../../support/stock/stock-client.ts'
import { HurriedClock } from '../payments/health/health-world.ts'
import { latest, openUptoWorld, type UptoWorld } from '../payments/schemes/upto/upto-world.ts'

/* Endpoints of one network have been seen more than two ledgers apart (x402-foundation/x402#3168): neither a buyer nor this service chooses which. */
const SKEW = 3

/** Of 60 s, where a ledger takes 5 s. */
const TIMEOUT_LEDGERS = 12

const opened = new AsyncDisposableStack()
const clock = new HurriedClock()
let world: UptoWorld
/** The two endpoints of the facilitator. */
let proxies: readonly RpcProxy[]

beforeAll(async () => {
  proxies = [opened.use(await startRpcProxy()), opened.use(await startRpcProxy())]
  world = opened.use(
    await openUptoWorld({
      clock,
      tls: true,
      closeTimeStep: 5,
      timings: { confirmWindowMs: 60_000, rebroadcastMs: 60_000 },
      network: async ({ httpUrl }) => ({ rpcUrls: proxies.map((each) => each.forwardTo(httpUrl)) }),
    }),
  )
  reach(world.stack.localnet)
})
afterAll(() => opened.disposeAsync())

type Build = (seconds: number) => Promise<PaymentBody>

/** Payments as a buyer makes them whose endpoint has the latest ledger. */
const payments: readonly { readonly who: string; readonly build: Build }[] = [
  ...clientLines.map((line) => ({
    who: `the stock client of ${line.version}`,
    build: async (seconds: number) => {
      const { localnet } = world.stack
      const client = line.client(localnet.rpcUrl, await accountWithUsdc(localnet))
      const price = priceFor(world.seller.address, { maxTimeoutSeconds: seconds })
      const body = { x402Version: 2, paymentPayload: await payloadFor(client, price) }
      return { ...body, paymentRequirements: price } as unknown as PaymentBody
    },
  })),
  {
    who: 'a payment in `exact`',
    build: (seconds) =>
      world.pay({ maxTimeoutSeconds: seconds, expirationLedger: lastOf(seconds) }),
  },
  {
    who: 'a payment in `upto`',
    build: (seconds) =>
      world.upto({ maxTimeoutSeconds: seconds, expirationLedger: lastOf(seconds) }),
  },
]

/** As stock clients choose it. */
const lastOf = (seconds: number): number => latest(world) + Math.ceil(seconds / 5)

async function close(ledgers: number): Promise<void> {
  for (let closed = 0; closed < ledgers; closed++) await world.stack.localnet.closeLedger()
}

/** Every endpoint answers from the latest ledger, and the facilitator knows it. */
async function level(): Promise<void> {
  for (const proxy of proxies) proxy.lag(0)
  const { localnet, facilitator } = world.stack
  // Ledgers close faster here than they say: a clock that is minutes behind them makes endpoints unbelievable.
  clock.hurry(Math.max(0, localnet.network.latest.closeTime * 1_000 - clock.now()))
  await facilitator.health.poll()
  await world.stack.post('/verify', await world.pay())
}

/** The endpoint to which the facilitator sends its simulations stays where it is, while the network goes on by so many ledgers. */
async function preferredFallsBehind(ledgers: number): Promise<void> {
  await level()
  const before = proxies.map((proxy) => proxy.count('simulateTransaction'))
  await world.stack.post('/verify', await world.pay())
  const preferred = proxies.find(
    (proxy, i) => proxy.count('simulateTransaction') > (before[i] ?? 0),
  )
  preferred?.lag(ledgers)
  await close(ledgers)
}

const verified = async (body: PaymentBody) => (await world.stack.post('/verify', body)).body

async function expectSettled(body: PaymentBody): Promise<void> {
  const answer = await world.settle(body)
  expect(answer.success, JSON.stringify(answer)).toBe(true)
  const applied = world.stack.localnet.network.transaction(answer.transaction)
  expect(applied).toMatchObject({ successful: true })
}

describe.each(payments)('$who', ({ build }) => {
  test('built three ledgers behind the newest is verified and settled', async () => {
    await level()
    const body = await build(60)
    await close(SKEW)
    expect(await verified(body)).toMatchObject({ isValid: true })
    await expectSettled(body)
  })

  test('built there is valid while its timeout leaves one ledger, and refused once it leaves none', async () => {
    await level()
    const late = await build(15)
    await close(SKEW)
    const reason = /_expiration_too_soon$/
    expect(await verified(late)).toMatchObject({ invalidReason: expect.stringMatching(reason) })
    const answer = await world.settle(late)
    expect(answer).toMatchObject({ success: false, errorReason: expect.stringMatching(reason) })
    await level()
    const last = await build(20)
    await close(SKEW)
    expect(await verified(last)).toMatchObject({ isValid: true })
  })

  test('built three ledgers ahead of the endpoint that the facilitator prefers is verified', async () => {
    await preferredFallsBehind(SKEW)
    const body = await build(60)
    expect(await verified(body)).toMatchObject({ isValid: true })
  })

  test('built three ledgers ahead of that endpoint is settled without a verify', async () => {
    await preferredFallsBehind(SKEW)
    await expectSettled(await build(60))
  })

  test('built two ledgers ahead of every endpoint of the facilitator is verified', async () => {
    await level()
    for (const proxy of proxies) proxy.lag(2)
    await close(2)
    const body = await build(60)
    expect(await verified(body)).toMatchObject({ isValid: true })
  })

  test('is verified and settled while each endpoint answers three ledgers behind the newest that one has reported', async () => {
    await level()
    const body = await build(60)
    for (const proxy of proxies) proxy.lag(SKEW)
    expect(await verified(body)).toMatchObject({ isValid: true })
    const { taken } = world.stack
    const sent = taken.length
    const settling = world.settle(body)
    await vi.waitFor(() => expect(taken.length).toBeGreaterThan(sent), { timeout: 120_000 })
    for (const proxy of proxies) proxy.lag(0)
    expect(await settling).toMatchObject({ success: true })
  })
})

test('an authorization that is too far for the newest ledger of any endpoint is refused, and the message names that ledger', async () => {
  await preferredFallsBehind(SKEW)
  const bound = latest(world) + TIMEOUT_LEDGERS + 2
  const within = await world.pay({ expirationLedger: bound })
  const beyond = await world.pay({ expirationLedger: bound + 1 })
  expect(await verified(beyond)).toMatchObject({
    invalidReason: 'invalid_exact_stellar_signature_expiration_too_far',
    invalidMessage: expect.stringContaining(`expected ${bound} or earlier`),
  })
  expect(await verified(within)).toMatchObject({ isValid: true })
})
