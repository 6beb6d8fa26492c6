import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { addUsage } from '../../../../src/payments/store/usage/add.ts'
import { deleteOldUsage } from '../../../../src/payments/store/usage/delete-old.ts'
import {
  type KeyUse,
  noteKeyUses,
  readKeyUses,
} from '../../../../src/payments/store/usage/key-uses.ts'
import type { Store } from '../../../../src/platform/database/open.ts'
import { openEmptyStore } from '../../platform/database/open-stores.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const use = (subject: string, agoMs: number, name?: string): KeyUse => ({ subject, agoMs, name })

describe('uses of API keys in the store', () => {
  let store: Store
  beforeAll(async () => {
    store = await openEmptyStore()
  })
  afterEach(async () => {
    await sql`delete from api_key_uses`.execute(store.db)
    await sql`delete from usage_counts`.execute(store.db)
  })
  afterAll(() => store.close())

  /** Milliseconds since each use, by the store's clock. */
  async function ages(): Promise<Record<string, number>> {
    const { rows } = await sql<{ subject: string; ago: number }>`
      select subject, extract(epoch from clock_timestamp() - last_used_at)::double precision * 1000 as ago
      from api_key_uses`.execute(store.db)
    return Object.fromEntries(rows.map(({ subject, ago }) => [subject, ago]))
  }

  const count = (subject: string, daysAgo: number) =>
    addUsage(store.db, {
      writer: `${subject}/${daysAgo}`,
      batch: 1,
      counts: [0, 1].map((at) => ({
        subject,
        day: new Date(Date.now() - daysAgo * DAY).toISOString().slice(0, 10),
        network: 'stellar:testnet',
        operation: 'verify',
        outcome: 'valid',
        asset: String(at),
        requests: 1,
      })),
    })

  it('have the age that the replica says, by the clock of the store', async () => {
    await noteKeyUses(store.db, [use('key:b', HOUR), use('key:a', 2 * HOUR)])
    const { 'key:a': a = 0, 'key:b': b = 0 } = await ages()
    // However long the statement took, both took as long.
    expect(Math.round((a - b) / 1_000)).toBe(3_600)
    expect(b).toBeGreaterThanOrEqual(HOUR)
  })

  it('keep the latest, whichever replica writes first', async () => {
    await noteKeyUses(store.db, [use('key:a', HOUR, 'new')])
    await noteKeyUses(store.db, [use('key:a', DAY, 'old')])
    expect((await ages())['key:a']).toBeLessThan(DAY)
    expect(await readKeyUses(store.db)).toMatchObject([{ subject: 'key:a', name: 'new' }])
    await noteKeyUses(store.db, [use('key:a', 0)])
    expect((await ages())['key:a']).toBeLessThan(HOUR)
    expect(await readKeyUses(store.db)).toMatchObject([{ subject: 'key:a', name: null }])
  })

  it('of many replicas at once do not deadlock', async () => {
    const subjects = Array.from({ length: 40 }, (_, at) => `key:${at}`)
    await Promise.all(
      Array.from({ length: 12 }, (_, replica) =>
        noteKeyUses(
          store.db,
          subjects
            .map((subject) => use(subject, 1_000 * replica))
            .toSorted(() => (replica % 2 === 0 ? 1 : -1)),
        ),
      ),
    )
    expect(Object.keys(await ages())).toHaveLength(40)
  })

  it('are read with the last counted day, the last one used first, without other callers', async () => {
    await noteKeyUses(store.db, [use('key:noted', DAY * 3, 'shop'), use('key:both', DAY * 2)])
    for (const [subject, daysAgo] of [
      ['key:both', 5],
      ['key:both', 2],
      ['key:counted', 1],
      ['key:early', 30],
      ['public', 0],
    ] as const) {
      await count(subject, daysAgo)
    }
    const dayAgo = (days: number) => new Date(Date.now() - days * DAY).toISOString().slice(0, 10)
    expect(await readKeyUses(store.db)).toEqual([
      { subject: 'key:counted', name: null, lastUsedAt: null, lastCountedOn: dayAgo(1) },
      { subject: 'key:both', name: null, lastUsedAt: expect.any(Date), lastCountedOn: dayAgo(2) },
      { subject: 'key:noted', name: 'shop', lastUsedAt: expect.any(Date), lastCountedOn: null },
      { subject: 'key:early', name: null, lastUsedAt: null, lastCountedOn: dayAgo(30) },
    ])
  })

  it('are none in a new store', async () => {
    expect(await readKeyUses(store.db)).toEqual([])
  })

  it('are deleted with the counts', async () => {
    await noteKeyUses(store.db, [use('key:late', 399 * DAY), use('key:early', 401 * DAY)])
    await deleteOldUsage(store.db, 400)
    expect(Object.keys(await ages())).toEqual(['key:late'])
  })
})
