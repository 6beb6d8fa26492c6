import { expect, test } from 'vitest'
import { accountEntry, transactionsAfter } from '../../support/ledger-view.ts'
import { HurriedClock } from '../payments/health/health-world.ts'
import { openFaultWorld } from './fault-world.ts'

/** In a network whose history is older than any transaction that is still valid. */
async function openBounded() {
  const clock = new HurriedClock()
  const faulty = await openFaultWorld(1, { clock, network: { channelCount: 1 } })
  const { localnet, facilitator } = faulty.world.stack
  clock.hurry(90_000)
  await localnet.closeLedger()
  await facilitator.health.poll()
  return faulty
}

test('an authorization that expires before the network has the envelope costs nothing', async () => {
  await using faulty = await openBounded()
  const { world, proxies, settle, untilRecorded, row } = faulty
  const { network } = world.stack.localnet
  const [proxy] = proxies
  proxy?.fail('sendTransaction', { kind: 'hang up' })
  const after = network.latest.sequence
  const balance = accountEntry(network, world.sponsor).balance
  const expirationLedger = after + 3
  const body = await world.pay({ expirationLedger })
  const settling = settle(body)
  const { recorded } = await untilRecorded(body)
  while (network.latest.sequence < expirationLedger - 1) await network.closeLedger()
  // The last ledger that could include it closes without it; from now on the network refuses it.
  await network.closeLedger()
  proxy?.heal()

  const answer = await settling
  expect(answer).toMatchObject({
    success: false,
    errorReason: 'settle_exact_stellar_transaction_expired',
    errorMessage:
      `no ledger before its max ledger ${expirationLedger + 1} included it; ` +
      `the latest is ${expirationLedger}`,
  })
  expect(await row(body)).toMatchObject({ state: 'expired', attempt: 1 })
  expect(network.latest.closeTime).toBeLessThan(recorded?.maxTime ?? 0)
  expect(transactionsAfter(network, after)).toEqual([])
  expect(accountEntry(network, world.sponsor).balance).toBe(balance)
  // The only channel is free again.
  const next = await world.pay({ expirationLedger: expirationLedger + 3 })
  expect(await settle(next)).toMatchObject({ success: true })
})

test('one that reaches the last ledger of its authorization is settled', async () => {
  await using faulty = await openBounded()
  const { world, settle } = faulty
  const { network } = world.stack.localnet
  world.stack.hold(true)
  const expirationLedger = network.latest.sequence + 3
  const body = await world.pay({ expirationLedger })
  const taken = world.stack.taken.length
  const settling = settle(body)
  await network.closeLedger()
  await network.closeLedger()
  await expect.poll(() => world.stack.taken.length, { timeout: 120_000 }).toBe(taken + 1)
  const { sequence } = await network.closeLedger()
  expect(sequence).toBe(expirationLedger)
  expect(await settling).toMatchObject({ success: true })
})
