/** Who owns a pool owns its database: however long its texts are, the operator keeps and shows the beginning of them. */
import { type RawBuilder, sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readStoreId } from '../../../../../src/platform/database/identity.ts'
import { openReconciledPools, type ReconciledPools } from './reconciled-pools.ts'

let world: ReconciledPools
beforeAll(async () => {
  world = await openReconciledPools()
})
afterAll(() => world[Symbol.asyncDispose]())

async function settledPool() {
  const store = await world.database('database')
  await world.sponsor('sponsor')
  const operator = world.operator({ epoch: 7n })
  operator.put()
  await operator.settle()
  const run = (query: RawBuilder<unknown>) => query.execute(store.db)
  return { store, operator, run }
}

test('a long name of another owner, with what to do about it', async () => {
  const { operator, run } = await settledPool()
  await run(sql`update pools set uid = 'other', name = repeat('A. ', 20000)`)
  expect(await operator.pass()).toMatchObject({ kind: 'again' })
  const said = operator.says('Ready')
  expect(said).toMatch(/^False Conflict: ChannelPool A\. A\. .* already manages the channels of/)
  expect(said.length).toBeLessThan(1_100)
  await run(sql`update pools set name = repeat('A. ', 330000)`)
  await operator.pass()
  expect(operator.says('Ready')).toMatch(/^Unknown StoreUnreachable: /)
})

test('a long id, and a long migration that it does not know', async () => {
  const { store, operator, run } = await settledPool()
  await run(sql`insert into kysely_migration (name, timestamp) values
    ('0009-' || repeat('x', 240), '2026-01-01T00:00:00Z')`)
  await operator.settle()
  expect(operator.says('Degraded')).toMatch(/The database has 0009-x{95}, which this operator/)
  await run(sql`alter table store_identity drop constraint if exists store_identity_id_check`)
  await run(sql`alter table store_identity alter column id type text`)
  await run(sql`update store_identity set id = repeat('x', 10000)`)
  expect(await readStoreId(store.db)).toBe('x'.repeat(64))
})
