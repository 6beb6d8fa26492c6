import { expect, test } from 'vitest'
import { asStroops } from '../../../../src/platform/core/amounts/stroops.ts'
import { rewrite } from '../../../support/ledger-surgery.ts'
import { accountKey, transactionsAfter } from '../../../support/ledger-view.ts'
import { type Replica, type Stack, unit } from '../../../support/stack.ts'
import { rowOf, untilSent } from '../store-view.ts'
import { openWorld, type World } from '../world.ts'
import { polled, testnet, timings, untilPolled, warningsOf } from './health-world.ts'

const setBalance = ({ stack }: World, balance: bigint) =>
  rewrite(stack.localnet.network, accountKey(stack.sponsor.address), (data) => {
    if (data.type === 'account') Object.assign(data.account, { balance })
  })

const monitorOf = ({ facilitator }: Pick<Replica, 'facilitator'>) =>
  facilitator.networks.get(testnet)?.monitor

/** The maximum fee of the first settlement. */
async function feeOf({ store }: Stack): Promise<bigint> {
  const query = store.db.selectFrom('settlements').select('fee_committed').orderBy('id')
  return (await query.executeTakeFirstOrThrow()).fee_committed
}

const unavailable = {
  success: false,
  errorReason: 'settle_exact_stellar_sponsor_unavailable',
  transaction: '',
}

test('a balance that reserves lock pays for nothing: the service says so and claims nothing', async () => {
  await using world = await openWorld({ timings, network: { channelCount: 24 } })
  const { stack } = world
  await untilPolled(stack)
  // Of which 24 channels and the sponsor itself lock 25 XLM.
  setBalance(world, 25n * unit + 20_000n)
  const after = stack.localnet.network.latest.sequence

  const { state, codes, messages } = await warningsOf(stack)
  expect({ state, codes }).toEqual({ state: 'degraded', codes: ['sponsor_below_floor'] })
  expect(messages[0]).toBe(
    'the sponsor can spend 0.002 XLM of its 25 XLM, less than the required 25 XLM of MIN_SPONSOR_BALANCE_XLM ' +
      `(reserves lock 25 XLM, settlements under way may cost 0 XLM); send 25 XLM to ${world.sponsor}`,
  )
  const health = (await polled(stack)).networks[testnet]
  expect(health?.sponsor.balanceStroops).toBe('250020000')
  const ready = stack.facilitator.checks[`${testnet}:sponsor`]
  await expect(ready?.(AbortSignal.timeout(1_000))).rejects.toThrow(
    '250020000: the sponsor can spend 0.002 XLM of its 25 XLM',
  )

  const body = await world.pay()
  const { body: refusal } = await stack.post('/settle', body)
  expect(refusal).toMatchObject(unavailable)
  expect(await rowOf(stack, body)).toBeUndefined()
  expect(transactionsAfter(stack.localnet.network, after)).toEqual([])

  setBalance(world, 60n * unit)
  await polled(stack)
  const { body: answer } = await stack.post('/settle', body)
  expect(answer).toMatchObject({ success: true })
})

test('what settlements under way may cost is not spent again, by this replica or another', async () => {
  const network = { channelCount: 4, sponsorReserve: asStroops(0n) }
  await using world = await openWorld({ timings, network })
  const { stack } = world
  await using other = await stack.replica()
  await untilPolled(stack)
  stack.hold(true)
  const [first, second, third] = await Promise.all([world.pay(), world.pay(), world.pay()])
  const underWay = stack.post('/settle', first)
  await untilSent(stack, first)
  const fee = await feeOf(stack)
  expect(monitorOf(stack)?.balance).toMatchObject({ promised: fee })

  // Beside the reserves, it pays for the one under way and one more.
  setBalance(world, 5n * unit + (fee * 5n) / 2n)
  await polled(stack)
  expect(monitorOf(stack)?.spendable).toBe((fee * 3n) / 2n)
  const claimed = stack.post('/settle', second)
  await untilSent(stack, second)
  expect((await stack.post('/settle', third)).body).toMatchObject(unavailable)
  await polled(other)
  expect(monitorOf(other)?.spendable).toBe(fee / 2n)
  expect((await other.post('/settle', third)).body).toMatchObject(unavailable)
  expect(await rowOf(stack, third)).toBeUndefined()

  stack.hold(false)
  await stack.localnet.closeLedger()
  expect((await underWay).body).toMatchObject({ success: true })
  expect((await claimed).body).toMatchObject({ success: true })
  setBalance(world, 6n * unit)
  await polled(other)
  expect((await other.post('/settle', third)).body).toMatchObject({ success: true })
})

test('a refusal before anything is recorded gives back what it had promised', async () => {
  const channelWaitMs = 50
  await using world = await openWorld({
    timings: { ...timings, channelWaitMs },
    network: { channelCount: 1 },
  })
  const { stack } = world
  await untilPolled(stack)
  stack.hold(true)
  const first = await world.pay()
  const underWay = stack.post('/settle', first)
  await untilSent(stack, first)
  const fee = await feeOf(stack)
  const { body: answer } = await stack.post('/settle', await world.pay())
  expect(answer).toMatchObject({ errorReason: 'settle_exact_stellar_channel_unavailable' })
  expect(monitorOf(stack)?.balance).toMatchObject({ promised: fee })

  // The fee charged is in the balance once that is read again.
  await stack.localnet.closeLedger()
  expect((await underWay).body).toMatchObject({ success: true })
  await polled(stack)
  expect(monitorOf(stack)?.balance).toMatchObject({ promised: 0n })
})
