import { expect, test, vi } from 'vitest'
import { type SteadyClock, systemClock } from '../../../src/platform/core/time/clock.ts'
import { transactionsAfter, transfersOf } from '../../support/ledger-view.ts'
import { usdc } from '../../support/payments.ts'
import type { RpcFault } from '../../support/rpc-proxy.ts'
import type { World } from '../payments/world.ts'
import {
  empty,
  expectEnd,
  expired,
  hidden,
  openFaultWorld,
  pending,
  settled,
} from './fault-world.ts'

const patience = { timeout: 120_000, interval: 20 }

/** Called is not yet taken in: a call may still be on its way through the proxy. */
const untilTaken = ({ stack }: World, count: number) =>
  vi.waitFor(() => expect(stack.taken.length).toBe(count), patience)

test('a transaction that look-ups find only three ledgers later is waited for', async () => {
  await using faulty = await openFaultWorld(1)
  const { world, proxies, settle, untilRecorded, row } = faulty
  const { network } = world.stack.localnet
  world.stack.hold(true)
  const body = await world.pay()
  const after = network.latest.sequence
  const taken = world.stack.taken.length
  const settling = settle(body)
  const { recorded } = await untilRecorded(body)
  proxies[0]?.hide(recorded?.txHash ?? '', 3)
  await untilTaken(world, taken + 1)
  await network.closeLedger()
  for (let ledger = 1; ledger <= 2; ledger++) {
    const asked = proxies[0]?.count('getTransaction') ?? 0
    await network.closeLedger()
    await vi.waitFor(() => expect(proxies[0]?.count('getTransaction')).toBeGreaterThan(asked), {
      timeout: 120_000,
    })
    expect(await row(body)).toMatchObject({ state: 'submitted' })
  }
  await network.closeLedger()
  const answer = await settling
  await expectEnd(faulty, { body, after, answer }, settled)
})

test('a transaction that one endpoint never finds is found at the other, whatever the time', async () => {
  await using faulty = await openFaultWorld(2, { timings: { validitySeconds: 25 } })
  const { world, proxies, settle, untilRecorded, untilTooLate } = faulty
  const { stack } = world
  proxies[0]?.fail('getTransaction', hidden)
  stack.hold(true)
  const body = await world.pay()
  const after = stack.localnet.network.latest.sequence
  const taken = stack.taken.length
  const settling = settle(body)
  await untilRecorded(body)
  await untilTaken(world, taken + 1)
  await untilTooLate(body)
  const answer = await settling
  await expectEnd(faulty, { body, after, answer }, settled)
})

test('transactions missing from every batch are looked up one by one before they count as expired', async () => {
  const count = 6
  await using faulty = await openFaultWorld(1, {
    network: { channelCount: count },
    timings: { validitySeconds: 25, rebroadcastMs: 10_000 },
  })
  const { world, proxies, settle, untilRecorded, untilTooLate } = faulty
  const { stack } = world
  const [proxy] = proxies
  proxy?.fail('getTransactions', empty)
  stack.hold(true)
  const bodies = await Promise.all(Array.from({ length: count }, () => world.pay()))
  const after = stack.localnet.network.latest.sequence
  const taken = stack.taken.length
  const settling = Promise.all(bodies.map(settle))
  await Promise.all(bodies.map(untilRecorded))
  await untilTaken(world, taken + count)
  await stack.localnet.closeLedger()
  await vi.waitFor(() => expect(proxy?.count('getTransactions')).toBe(1), { timeout: 120_000 })
  // All settlements are read together, except one that was being sent again at that moment.
  expect(proxy?.count('getTransaction')).toBeLessThan(count)
  await Promise.all(bodies.map(untilTooLate))
  const answers = await settling
  expect(answers.every(({ success }) => success)).toBe(true)
  const paid = transactionsAfter(stack.localnet.network, after).flatMap(transfersOf)
  expect(paid.filter(({ contract }) => contract === usdc)).toHaveLength(count)
})

test('a transaction that was never forwarded expires once no ledger can include it', async () => {
  await using faulty = await openFaultWorld(2, { timings: { validitySeconds: 25 } })
  const { world, proxies, settle, untilRecorded, untilTooLate } = faulty
  for (const proxy of proxies) proxy.fail('sendTransaction', { kind: 'swallow' })
  const body = await world.pay()
  const after = world.stack.localnet.network.latest.sequence
  const settling = settle(body)
  await untilRecorded(body)
  await untilTooLate(body)
  const answer = await settling
  await expectEnd(faulty, { body, after, answer }, expired)
})

test.each([
  { fate: 'landed', transfers: 1 },
  { fate: 'did not land', transfers: 0 },
] as const)(
  'when the ledgers in question are gone after an outage, it is unresolvable although it $fate',
  async ({ fate, transfers }) => {
    const retainLedgers = 20
    await using faulty = await openFaultWorld(1, {
      retainLedgers,
      timings: { validitySeconds: 25, confirmWindowMs: 1_500 },
    })
    const { world, proxies, settle, untilRecorded, untilTooLate, row } = faulty
    const { stack } = world
    const { network } = stack.localnet
    const [proxy] = proxies
    if (fate === 'did not land') proxy?.fail('sendTransaction', { kind: 'swallow' })
    stack.hold(true)
    const body = await world.pay()
    const after = network.latest.sequence
    const taken = stack.taken.length
    const settling = settle(body)
    await untilRecorded(body)
    await vi.waitFor(() => expect(proxy?.count('sendTransaction')).toBeGreaterThan(0), patience)
    await untilTaken(world, taken + transfers)
    proxy?.fail('*', { kind: 'hang up' })
    const end = pending(transfers)
    await network.closeLedger()
    await expectEnd(faulty, { body, after, answer: await settling }, end)

    await untilTooLate(body)
    for (let ledger = 0; ledger < retainLedgers; ledger++) await network.closeLedger()
    proxy?.heal()
    const because = expect.stringContaining('the network retains ledgers from')
    await vi.waitFor(
      async () => expect(await row(body)).toMatchObject({ unresolvableBecause: because }),
      { timeout: 120_000, interval: 50 },
    )
    const again = await settle(body)
    expect(again).toMatchObject(end.answer)
    expect(await row(body)).toMatchObject(end.row)
    expect(again['transaction']).toBe((await row(body))?.recorded?.txHash)
  },
)

test('a reset of the network makes settlements in flight unresolvable', async () => {
  const clock = new ShiftedClock()
  await using faulty = await openFaultWorld(1, { clock, timings: { confirmWindowMs: 1_500 } })
  const { world, settle, row } = faulty
  const { stack } = world
  const { network } = stack.localnet
  stack.hold(true)
  const body = await world.pay()
  const taken = stack.taken.length
  const settling = settle(body)
  await untilTaken(world, taken + 1)
  clock.shiftMs = 600_000
  await network.reset()
  await network.closeLedger()
  const because = expect.stringContaining('the network was reset')
  await vi.waitFor(
    async () => expect(await row(body)).toMatchObject({ unresolvableBecause: because }),
    { timeout: 120_000, interval: 50 },
  )
  await expectEnd(faulty, { body, after: 0, answer: await settling }, pending(0))
})

test('endpoints that claim a reset leave no settlement without an end once one of them takes it back and the other falls silent', async () => {
  await using faulty = await openFaultWorld(2, {
    timings: {
      validitySeconds: 25,
      confirmWindowMs: 1_500,
      followedForMs: 2_000,
      lookAgainMs: 500,
    },
    reconcileIntervalMs: 200,
  })
  const { world, proxies, settle, untilRecorded, untilTooLate, row } = faulty
  const [first, second] = proxies
  const { stack } = world
  const { network } = stack.localnet
  stack.hold(true)
  const body = await world.pay()
  const after = network.latest.sequence
  const taken = stack.taken.length
  const settling = settle(body)
  const { recorded } = await untilRecorded(body)
  await untilTaken(world, taken + 1)
  // One alone would not be believed.
  for (const proxy of [first, second]) {
    proxy?.fail('getTransaction', resetSince(recorded?.maxTime ?? 0))
    proxy?.fail('getTransactions', empty)
  }
  await untilTooLate(body)
  await vi.waitFor(
    async () => expect((await row(body))?.unresolvableBecause).toContain('the network was reset'),
    patience,
  )
  await settling
  for (const method of ['getTransaction', 'getTransactions']) second?.heal(method)
  first?.fail('*', { kind: 'hang up' })
  first?.fail('getTransaction', { kind: 'hang up' })
  await vi.waitFor(
    async () => expect(await row(body)).toMatchObject({ state: 'succeeded' }),
    patience,
  )
  await expectEnd(faulty, { body, after, answer: await settle(body) }, settled)
})

/** Of a look-up, as if all ledgers had closed after that time. */
const resetSince = (time: number) =>
  ({
    kind: 'rewrite',
    change: (result) => ({ ...hidden.change(result), oldestLedgerCloseTime: String(time + 1) }),
  }) as const satisfies RpcFault

/** The system clock, ahead by as much as a test says. */
class ShiftedClock implements SteadyClock {
  shiftMs = 0
  now = () => systemClock.now() + this.shiftMs
  monotonic = () => systemClock.monotonic() + this.shiftMs
  sleep = systemClock.sleep
}
