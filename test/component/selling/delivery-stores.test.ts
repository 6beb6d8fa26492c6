import { readFileSync } from 'node:fs'
import pg from 'pg'
import {
  type DeliveryStore,
  MemoryDeliveryStore,
  PostgresDeliveryStore,
} from 'stellar-x402/delivery'
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { bareDatabase } from '../../support/postgres.ts'
import { redisStore } from '../../support/stock/redis-store.ts'
import { page } from '../../support/stock/sellers-page.ts'

const opened = new AsyncDisposableStack()
const pools: pg.Pool[] = []
beforeAll(async () => {
  const { url } = opened.use(await bareDatabase())
  for (const _ of ['a process', 'another']) {
    const pool = new pg.Pool({ connectionString: url, max: 5 })
    opened.defer(() => pool.end())
    pools.push(pool)
  }
  // As two processes do that start at the same moment.
  await Promise.all(pools.map((pool) => new PostgresDeliveryStore(pool).createTable()))
})
afterAll(() => opened.disposeAsync())

/** What Redis does with these options, in one process. */
function redis() {
  const values = new MemoryDeliveryStore()
  return {
    set: async (key: string, value: string, { PX, NX }: { PX: number; NX?: true }) => {
      if (NX) return (await values.putIfAbsent(key, value, PX)) ?? null
      await values.put(key, value, PX)
      return 'OK'
    },
    eval: async (
      _script: string,
      { keys: [key = ''], arguments: [value = ''] }: { keys: string[]; arguments: string[] },
    ) => values.remove(key, value),
  }
}

describe.each<{ store: string; open: () => readonly DeliveryStore[] }>([
  { store: 'the store in memory', open: () => [new MemoryDeliveryStore()] },
  { store: 'Postgres', open: () => pools.map((pool) => new PostgresDeliveryStore(pool)) },
  { store: 'the adapter of the page for Redis', open: () => [redisStore(redis())] },
])('$store', ({ open }) => {
  const DAY = 86_400_000

  it('stores the first value of a key, and answers it to all others', async () => {
    const stores = open()
    const key = crypto.randomUUID()
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        stores[at % stores.length]!.putIfAbsent(key, String(at), DAY),
      ),
    )
    const [stored, ...more] = answers.flatMap((answer, at) => (answer === undefined ? [at] : []))
    expect(more).toEqual([])
    expect(answers.filter((answer) => answer !== undefined)).toEqual(Array(19).fill(String(stored)))
  })

  it('replaces, and forgets the value that is named alone', async () => {
    const [store] = open()
    await store!.put('key', 'one', DAY)
    await store!.put('key', 'two', DAY)
    expect(await store!.putIfAbsent('key', 'three', DAY)).toBe('two')
    await store!.remove('key', 'one')
    expect(await store!.putIfAbsent('key', 'three', DAY)).toBe('two')
    await store!.remove('key', 'two')
    await store!.remove('key', 'two')
    expect(await store!.putIfAbsent('key', 'three', DAY)).toBeUndefined()
  })

  it('forgets a value when its time is over', async () => {
    const [store] = open()
    await store!.put('short', 'one', 1)
    await expect.poll(() => store!.putIfAbsent('short', 'two', DAY)).toBeUndefined()
    expect(await store!.putIfAbsent('short', 'three', DAY)).toBe('two')
  })
})

const HOUR = 3_600_000

test('Postgres deletes rows whose time is long over', async () => {
  const [pool] = pools
  const store = new PostgresDeliveryStore(pool!)
  for (let n = 0; n < 12; n++) await store.put(`over ${n}`, 'x', -2 * HOUR)
  const left = async () => {
    await store.put('other', 'x', 60_000)
    const { rows } = await pool!.query("select 1 from x402_deliveries where key like 'over %'")
    return rows.length
  }
  await expect.poll(left).toBe(0)
})

test('a table may have a schema and another name, but none that needs quotes', async () => {
  const [pool] = pools
  const store = new PostgresDeliveryStore(pool!, { table: 'public.delivered' })
  await store.createTable()
  expect(await store.putIfAbsent(crypto.randomUUID(), 'one', 60_000)).toBeUndefined()
  expect(() => new PostgresDeliveryStore(pool!, { table: 'a; drop table b' })).toThrow(RangeError)
})

test('the statements of the page create the table that the function creates', async () => {
  const statements = /```sql\n([\s\S]*?x402_deliveries[\s\S]*?)```/.exec(page)?.[1] ?? ''
  await using database = await bareDatabase()
  const pool = new pg.Pool({ connectionString: database.url })
  const shape = async (queries: pg.Pool) => {
    const columns = await queries.query(
      "select column_name, data_type, is_nullable from information_schema.columns where table_name = 'x402_deliveries' order by 1",
    )
    const indexes = await queries.query(
      "select indexdef from pg_indexes where tablename = 'x402_deliveries' order by 1",
    )
    return [columns.rows, indexes.rows]
  }
  try {
    await pool.query(statements)
    expect(await shape(pool)).toEqual(await shape(pools[0]!))
  } finally {
    await pool.end()
  }
})

test('the page has the adapter for Redis that the types of this project were checked with', () => {
  const adapter = new URL('../../support/stock/redis-store.ts', import.meta.url)
  expect(page).toContain(readFileSync(adapter, 'utf8'))
})

test('the store in memory forgets the oldest values over its limit', async () => {
  const store = new MemoryDeliveryStore({ maxCharacters: 10 })
  for (const key of ['a', 'b', 'c']) await store.put(key, 'four', 60_000)
  expect(await store.putIfAbsent('c', 'x', 60_000)).toBe('four')
  expect(await store.putIfAbsent('b', 'x', 60_000)).toBe('four')
  expect(await store.putIfAbsent('a', 'x', 60_000)).toBeUndefined()
})
