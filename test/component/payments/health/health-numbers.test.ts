import { sql } from 'kysely'
import { expect, test, vi } from 'vitest'
import { accountEntry } from '../../../support/ledger-view.ts'
import { openWallet, type PaymentBody } from '../../../support/payments.ts'
import { rowOf, untilState } from '../store-view.ts'
import { openWorld, type World } from '../world.ts'
import { networkOf, polled, testnet, timings, untilPolled } from './health-world.ts'

const patience = { timeout: 120_000, interval: 20 }
const settle = async ({ stack }: World, body: PaymentBody) =>
  (await stack.post('/settle', body)).body

const feeOf = async ({ stack }: World, body: PaymentBody) =>
  (await rowOf(stack, body))?.outcome?.feeCharged ?? 0n

/** Counters are written a moment later. */
const untilNetwork = ({ stack }: World, expected: object) =>
  vi.waitFor(async () => expect(await networkOf(stack)).toMatchObject(expected), patience)

test('reports the state of a service without payments', async () => {
  await using world = await openWorld({ timings, network: { channelCount: 2 } })
  const { stack } = world
  await untilPolled(stack)
  const { checkedAt, ...health } = await polled(stack)
  expect(checkedAt).not.toBeNull()
  const { sequence } = stack.localnet.network.latest
  const { balance } = accountEntry(stack.localnet.network, stack.sponsor.address)
  expect(health).toEqual({
    status: 'ok',
    version: 'dev',
    state: 'healthy',
    warnings: [],
    networks: {
      [testnet]: {
        rpc: {
          ok: true,
          latestLedger: sequence,
          ledgerAgeSeconds: expect.any(Number),
          transportErrors1h: 0,
        },
        sponsor: {
          address: stack.sponsor.address,
          balanceStroops: balance.toString(),
          committed1hStroops: '0',
          wasted1hStroops: '0',
        },
        channels: { total: 2, inUse: 0, leaseWaitP95Ms: null, leaseTimeouts1h: 0 },
        settlements: {
          last1h: { succeeded: 0, failed: 0, expired: 0, pending: 0 },
          unfinished: 0,
          unresolvable: 0,
          repeats1h: 0,
        },
        sequenceConflicts1h: 0,
        contracts: {
          USDC: { id: expect.stringMatching(/^C/), instanceTtlLedgers: expect.any(Number) },
        },
      },
    },
  })
})

test('counts settlements by outcome, with the same numbers on every replica', async () => {
  const payers = { limitToFunds: false, pause: undefined }
  await using world = await openWorld({
    timings: { ...timings, confirmWindowMs: 15_000 },
    network: { payers },
  })
  const { stack } = world
  const paid = await world.pay()
  expect(await settle(world, paid)).toMatchObject({ success: true })
  expect(await settle(world, paid)).toMatchObject({ success: true })
  const fee = await feeOf(world, paid)
  await untilNetwork(world, {
    sponsor: { committed1hStroops: fee.toString(), wasted1hStroops: '0' },
    settlements: { last1h: { succeeded: 1, failed: 0, expired: 0, pending: 0 }, repeats1h: 1 },
  })
  expect((await networkOf(stack)).channels.leaseWaitP95Ms).toEqual(expect.any(Number))

  // Two payments by a payer who can afford one, which no rule refuses here: the second fails on the ledger, and
  // costs its fee.
  const payer = await openWallet(stack.localnet, 150_000n)
  stack.hold(true)
  const taken = stack.taken.length
  const two = [await world.pay({ payer }), await world.pay({ payer })]
  const settling = Promise.all(two.map((body) => settle(world, body)))
  await vi.waitFor(() => expect(stack.taken.length).toBe(taken + 2), patience)
  expect(await networkOf(stack)).toMatchObject({
    channels: { inUse: 2 },
    settlements: { last1h: { succeeded: 1, pending: 2 }, unfinished: 2 },
  })
  await stack.localnet.closeLedger()
  const failed = (await settling).findIndex(({ success }) => !success)
  const wasted = await feeOf(world, two[failed] ?? paid)
  expect(wasted).toBeGreaterThan(0n)
  const total = fee + wasted + (await feeOf(world, two[1 - failed] ?? paid))
  await untilNetwork(world, {
    sponsor: { committed1hStroops: total.toString(), wasted1hStroops: wasted.toString() },
    channels: { inUse: 0 },
    settlements: {
      last1h: { succeeded: 2, failed: 1, expired: 0, pending: 0 },
      unfinished: 0,
      repeats1h: 1,
    },
  })

  await using replica = await stack.replica()
  await untilPolled(replica)
  const [here, there] = [await networkOf(stack), await networkOf(replica)]
  expect(there.settlements).toEqual(here.settlements)
  expect(there.sponsor).toEqual(here.sponsor)
  expect(there.sequenceConflicts1h).toBe(here.sequenceConflicts1h)
  expect(there.channels).toEqual({ ...here.channels, leaseWaitP95Ms: null })
})

test('counts a sequence number that another process used, and the payment that expires because of it', async () => {
  await using world = await openWorld({
    timings: { ...timings, confirmWindowMs: 300, rebroadcastMs: 200, validitySeconds: 25 },
  })
  const { stack } = world
  await sql`update channels set sequence = sequence + 5`.execute(stack.store.db)
  const body = await world.pay()
  expect(await settle(world, body)).toMatchObject({ errorReason: 'settlement_pending' })
  await untilNetwork(world, {
    sequenceConflicts1h: 1,
    settlements: { last1h: { pending: 1 }, unfinished: 1 },
  })
  const { maxTime = 0 } = (await rowOf(stack, body))?.recorded ?? {}
  while (stack.localnet.network.latest.closeTime <= maxTime) await stack.localnet.closeLedger()
  await untilState(stack, body, 'expired')
  await untilNetwork(world, {
    settlements: { last1h: { expired: 1, pending: 0 }, unfinished: 0 },
    sponsor: { committed1hStroops: '0' },
  })
})

test('counts lease timeouts, and measures the waits', async () => {
  await using world = await openWorld({
    network: { channelCount: 1 },
    timings: { ...timings, channelWaitMs: 150 },
  })
  const { stack } = world
  stack.hold(true)
  const first = settle(world, await world.pay())
  await vi.waitFor(async () => expect((await networkOf(stack)).channels.inUse).toBe(1), patience)
  expect(await settle(world, await world.pay())).toMatchObject({
    errorReason: 'settle_exact_stellar_channel_unavailable',
  })
  await untilNetwork(world, { channels: { leaseTimeouts1h: 1 } })
  const { leaseWaitP95Ms } = (await networkOf(stack)).channels
  // A timer counts from the start of its turn of the event loop, so it may fire some milliseconds early.
  expect(leaseWaitP95Ms).toBeGreaterThan(100)
  await using replica = await stack.replica()
  await untilPolled(replica)
  expect((await networkOf(replica)).channels).toMatchObject({
    leaseTimeouts1h: 1,
    leaseWaitP95Ms: null,
  })
  stack.hold(false)
  await stack.localnet.closeLedger()
  expect(await first).toMatchObject({ success: true })
})

test('writes the last counts when the service stops', async () => {
  await using world = await openWorld({ timings: { ...timings, countersMs: 3_600_000 } })
  const { stack } = world
  const body = await world.pay()
  await settle(world, body)
  await settle(world, body)
  expect((await networkOf(stack)).settlements.repeats1h).toBe(0)
  await stack.restart()
  await untilPolled(stack)
  expect((await networkOf(stack)).settlements.repeats1h).toBe(1)
})
