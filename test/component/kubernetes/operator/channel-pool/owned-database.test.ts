/** Who owns a pool owns its database: what stands there may stop that pool, and nothing else. */
import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { signerFromSeed } from '../../../../../src/stellar/accounts/signer.ts'
import { openReconciledPools, type ReconciledPools } from './reconciled-pools.ts'

let world: ReconciledPools
beforeAll(async () => {
  world = await openReconciledPools()
})
afterAll(() => world[Symbol.asyncDispose]())

test('an epoch that its owner raised stops the pool alone, and says how to correct it', async () => {
  const store = await world.database('database')
  await world.sponsor('sponsor')
  await world.database('neighbour')
  await world.sponsor('neighbour-sponsor')
  const operator = world.operator({ epoch: 7n })
  operator.put()
  const neighbour = {
    sponsor: { secretRef: { name: 'neighbour-sponsor', key: 'seed' } },
    database: { secretRef: { name: 'neighbour', key: 'url' } },
  }
  operator.put(neighbour, 'neighbour')
  await operator.settle()

  await store.db.updateTable('operator_epochs').set({ epoch: 9_000_000_000_000_000_000n }).execute()
  operator.put({ channels: 3 })
  expect(await operator.pass()).toMatchObject({ kind: 'again' })
  expect(operator.says('Ready')).toMatch(/^Unknown Fenced: .*another epoch than 7/)
  await operator.settle('neighbour')
  expect(operator.says('Ready', 'neighbour')).toMatch(/^True ChannelsReady/)

  const command = /run in the database: (.*)\.$/.exec(operator.says('Ready'))?.[1] ?? ''
  expect(command).toBe("delete from operator_epochs where name = 'x402/operator'")
  await store.db.deleteFrom('operator_epochs').where('name', '=', 'x402/operator').execute()
  expect((await operator.settle()).status?.channels?.ready).toBe(3)
})

test('a channel that no pool makes stops the pool alone, and says what to do', async () => {
  const store = await world.database('database')
  await world.sponsor('sponsor')
  const operator = world.operator({ epoch: 7n })
  operator.put()
  await operator.settle()

  const written = store.db.updateTable('channels').set({ index: 2_000_000_000 })
  await written.where('index', '=', 0).execute()
  expect(await operator.pass()).toMatchObject({ kind: 'again' })
  expect(operator.says('Ready')).toMatch(
    /^False ChannelsInvalid: The table channels has the index 2000000000 for .*: another program wrote it, so restore the table\.$/,
  )
  await store.db
    .updateTable('channels')
    .set({ index: 0 })
    .where('index', '=', 2_000_000_000)
    .execute()
  await operator.settle()
  expect(operator.says('Ready')).toMatch(/^True ChannelsReady/)
})

test('N7: the survivor of a conflict is woken when the other pool is deleted, or gives its sponsor up', async () => {
  await world.database('database')
  const address = await world.sponsor('sponsor')
  const operator = world.operator()
  operator.put()
  await operator.settle()
  operator.put({}, 'survivor')
  expect(await operator.pass('survivor')).toMatchObject({ kind: 'again' })
  expect(operator.says('Ready', 'survivor')).toMatch(
    new RegExp(`^False Conflict: .* sponsor ${address}: delete one of the two`),
  )
  expect(operator.woken()).toEqual([])
  // It is gone from the cluster, and a pass under its name gives its sponsor up.
  operator.pools.delete('testnet')
  await operator.pass('testnet')
  expect(operator.woken()).toContain('survivor')
  expect((await operator.settle('survivor')).status?.channels?.ready).toBe(2)

  operator.put({}, 'third')
  await operator.pass('third')
  expect(operator.says('Ready', 'third')).toMatch(/^False Conflict: /)
  operator.put({ deletionPolicy: 'Retire' }, 'survivor')
  await operator.settle('survivor')
  const { metadata } = Object(operator.pools.get('survivor'))
  operator.change('survivor', {
    metadata: { ...metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
  })
  while (!operator.woken().includes('third')) await operator.pass('survivor')
  operator.pools.delete('survivor')
  expect((await operator.settle('third')).status?.channels?.ready).toBe(2)
})

test('a leader that was paused writes nothing after another one has', async () => {
  await world.database('database')
  await world.sponsor('sponsor')
  const paused = world.operator({ epoch: 1n })
  paused.put()
  await paused.settle()
  const next = world.operator({ epoch: 2n })
  for (const pool of paused.pools.values()) next.pools.set(pool.metadata.name, pool)
  next.put({ channels: 1 })
  expect((await next.settle()).status?.channels?.ready).toBe(1)

  paused.put({ channels: 4 })
  for (let pass = 0; pass < 3; pass++) await paused.pass()
  expect(paused.says('Ready')).toMatch(/^Unknown Fenced: /)
  expect((await next.settle()).status?.channels?.accounts).toBe(1)
})

test('a pool of the same name in another cluster leaves the channels to the first one while that is alive', async () => {
  const store = await world.database('database')
  await world.sponsor('sponsor')
  const first = world.operator({ election: 'x402/operator one' })
  first.put()
  await first.settle()
  const second = world.operator({ election: 'x402/operator two' })
  second.put({ channels: 1 })
  await second.pass()
  expect(second.says('Ready')).toMatch(/^False Conflict: .*of another cluster manages/)
  expect((await first.settle()).status?.channels?.ready).toBe(2)

  await store.db
    .updateTable('pools')
    .set({ claimed_at: new Date(Date.now() - 16 * 60_000) })
    .execute()
  await first.settle()
  await second.pass()
  expect(second.says('Ready')).toMatch(/^False Conflict: /)

  const pool = second.pools.get('testnet')
  const annotations = { 'x402.svc.dev/take-over': 'shop/testnet' }
  second.change('testnet', { metadata: { ...pool?.metadata, annotations } } as never)
  expect((await second.settle()).status?.channels?.accounts).toBe(1)
  await first.pass()
  expect(first.says('Ready')).toMatch(/^False Conflict: /)
})

test.each(['sslrootcert=/etc/hostname', 'ssl=yes'])(
  'a URL with %s is refused, and the database is not opened',
  async (parameter) => {
    await world.database('database')
    await world.sponsor('sponsor')
    const operator = world.operator()
    const { url = '' } = world.secrets.get('database') ?? {}
    world.secrets.set('database', { url: `${url}?${parameter}` })
    operator.put()
    await operator.pass()
    const name = parameter.split('=')[0]
    expect(operator.says('Ready')).toMatch(
      new RegExp(
        `^False DatabaseSecretInvalid: Secret database, key url holds a URL with .*${name}`,
      ),
    )
    world.secrets.set('database', { url })
    expect((await operator.settle()).status?.channels?.ready).toBe(2)
  },
)

test('a pass that its database keeps busy ends with its time limit', async () => {
  const store = await world.database('database')
  await world.sponsor('sponsor')
  const operator = world.operator()
  operator.put()
  const { metadata } = await operator.settle()
  const owned = Array.from({ length: 200 }, () => ({
    network: 'stellar:testnet' as const,
    sponsor: signerFromSeed(randomBytes(32)).address,
    uid: metadata.uid,
    name: 'shop/testnet',
  }))
  await store.db.insertInto('pools').values(owned).execute()
  await sql`create function slowly() returns trigger language plpgsql as
    $$ begin perform pg_sleep(0.1); return old; end $$`.execute(store.db)
  await sql`create trigger slowly before delete on pools for each row
    execute function slowly()`.execute(store.db)
  const limit = new AbortController()
  const ended = operator.pass('testnet', limit.signal).catch((error: unknown) => error)
  const count = async () => (await store.db.selectFrom('pools').selectAll().execute()).length
  await vi.waitFor(async () => expect(await count()).toBeLessThan(201), { timeout: 120_000 })
  limit.abort(new Error('late'))
  expect(await ended).toMatchObject({ message: 'late' })
  // A pass without its end gives up a hundred.
  expect(await count()).toBeGreaterThan(110)
})
