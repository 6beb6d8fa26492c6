/** The keeper of the settlement contract in two replicas over one Postgres. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { deaths, expireLease, keepUntil, takeLease } from './dying-keeper.ts'
import { FLOOR, type KeeperWorld, network, openKeeperWorld, TARGET } from './keeper-world.ts'

let world: KeeperWorld
let replica: AsyncDisposable
beforeAll(async () => {
  world = await openKeeperWorld()
  replica = await world.stack.replica()
})
afterAll(async () => {
  await replica?.[Symbol.asyncDispose]()
  await world?.[Symbol.asyncDispose]()
})
beforeEach(async () => {
  await world.stack.store.db.deleteFrom('upto_keeper_transactions').execute()
})

const DEADLINE = { timeout: 120_000, interval: 20 }

/** Resolves once a round after the change has found nothing to do. */
async function untilKept(): Promise<void> {
  await expect
    .poll(world.ttls, DEADLINE)
    .toSatisfy(({ instance, code }) => instance >= FLOOR && code >= FLOOR)
  await expect.poll(world.state, DEADLINE).toMatchObject({ plan: undefined, error: undefined })
}

/** Looks at the ledger, and not at the store: what the network charged for what it took. */
const takenSince = (before: number) => world.stack.taken.slice(before)

test('extends instance and code, once, when one of them is below the floor', async () => {
  const before = world.stack.taken.length
  world.age(FLOOR + 10)
  world.age(FLOOR - 1, 'code')
  await untilKept()
  expect(world.ttls()).toEqual({ instance: TARGET, code: TARGET })
  const [hash, ...others] = takenSince(before)
  expect(others).toEqual([])
  const state = await world.state()
  expect(state?.lastAction).toMatchObject({ action: 'extend', transaction: hash })
  expect(state?.checkedAt?.getTime()).toBeGreaterThanOrEqual(state?.lastAction?.at.getTime() ?? 0)
  expect(await world.work()).toEqual(['extend succeeded'])
})

test('restores what is archived, and then extends it', async () => {
  const before = world.stack.taken.length
  world.archive()
  await untilKept()
  expect(world.ttls()).toEqual({ instance: TARGET, code: TARGET })
  expect(takenSince(before)).toHaveLength(2)
  expect(await world.work()).toEqual(['restore succeeded', 'extend succeeded'])
})

test('tells in metrics what it did and how long the contract lives', async () => {
  world.age(FLOOR - 1)
  await untilKept()
  const { text } = await world.stack.metrics.expose()
  const ttl = new RegExp(`svc_upto_contract_ttl_ledgers{network="${network}",entry="code"} (\\d+)`)
  await expect
    .poll(async () => Number(ttl.exec((await world.stack.metrics.expose()).text)?.[1]), DEADLINE)
    .toBe(TARGET)
  expect(text).toContain('svc_upto_keeper_actions_total')
})

describe('after the death of the process that has the lease', () => {
  test.each(deaths)('%s, another one goes on, and the contract is extended once', async (death) => {
    const before = world.stack.taken.length
    const feesBefore = await world.fees()
    const lease = await takeLease(world)
    world.age(FLOOR - 1)
    await keepUntil(world, lease, death)
    const sentBefore = takenSince(before)
    expect(sentBefore).toHaveLength(death === 'after it has sent' ? 1 : 0)
    // Its fee is reserved, and stays so.
    expect(await world.fees()).toBeGreaterThan(feesBefore)
    await expireLease(world)
    await untilKept()
    const sent = takenSince(before)
    expect(sent).toHaveLength(1)
    expect(world.ttls().code).toBeGreaterThanOrEqual(TARGET - 1)
    expect(await world.state()).toMatchObject({ lastAction: { transaction: sent[0] } })
    expect(await world.work()).toEqual([
      ...(death === 'before it records' ? ['extend released'] : []),
      'extend succeeded',
    ])
    const [row] = await world.stack.store.db
      .selectFrom('upto_keeper_transactions')
      .select('fee_charged')
      .where('state', '=', 'succeeded')
      .execute()
    expect(await world.fees()).toBe(feesBefore + (row?.fee_charged ?? 0n))
  })
})
