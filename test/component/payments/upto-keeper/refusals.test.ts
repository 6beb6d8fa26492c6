/** What the keeper does not do by itself: restore without permission, exceed the hourly budget. */
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { asStroops } from '../../../../src/platform/core/amounts/stroops.ts'
import { FLOOR, type KeeperWorld, openKeeperWorld, TARGET } from './keeper-world.ts'

let world: KeeperWorld
beforeAll(async () => {
  world = await openKeeperWorld({
    keeper: { autoRestore: false },
    network: { hourlyBudget: asStroops(10_000_000n) },
  })
})
afterAll(() => world?.[Symbol.asyncDispose]())

const DEADLINE = { timeout: 120_000, interval: 20 }

test('an archived contract stays archived, and the plan says what an administrator has to do', async () => {
  world.age(TARGET)
  world.archive('code')
  await expect.poll(world.state, DEADLINE).toMatchObject({
    plan: expect.stringMatching(
      /^restore code of C.{55}, .*: run svc upto restore, or set TESTNET_/,
    ),
    error: undefined,
    lastAction: undefined,
  })
  world.age(TARGET)
  await expect.poll(world.state, DEADLINE).toMatchObject({ plan: undefined })
  expect(await world.work()).toEqual([])
})

test('an extension waits for the hourly budget, in which payments and the keeper share', async () => {
  const { db } = world.stack.store
  const { address } = world.stack.sponsor
  await sql`insert into fee_totals (network, sponsor, caller, minute, fees)
    values ('stellar:testnet', ${address}, '', date_trunc('minute', now()), 9990000)`.execute(db)
  world.age(FLOOR - 1)
  await expect.poll(world.state, DEADLINE).toMatchObject({
    plan: expect.stringContaining('extend the TTL'),
    error: expect.stringMatching(/^could not extend: .* MAX_SPONSOR_SPEND_XLM_PER_HOUR/),
  })
  expect(await world.work()).toEqual([])
  await sql`delete from fee_totals`.execute(db)
  await expect
    .poll(world.state, DEADLINE)
    .toMatchObject({ plan: undefined, error: undefined, lastAction: { action: 'extend' } })
  expect(world.ttls()).toEqual({ instance: TARGET, code: TARGET })
})
