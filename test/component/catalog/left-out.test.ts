import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { CatalogItems } from '../../../src/catalog/items/catalog-items.ts'
import { readListings } from '../../../src/catalog/store/discovery/discovery-listings.ts'
import { readVersions } from '../../../src/catalog/store/discovery/discovery-versions.ts'
import { readCatalogStats } from '../../../src/catalog/store/discovery/stats.ts'
import { hide, refreshLeftOut, unhide } from '../../../src/catalog/store/left-out.ts'
import { countSettlement } from '../../../src/catalog/store/listings.ts'
import { inTransaction } from '../../../src/platform/database/in-transaction.ts'
import type { Store } from '../../../src/platform/database/open.ts'
import { openEmptyStore } from '../platform/database/open-stores.ts'
import { address, httpContent, seedListing, seedVerified } from './seed-listings.ts'

/** Of each listing of these tests, as if its content had so many bytes. */
const EACH = 100
const room = (listings: number) => ({ bytes: listings * EACH, unpaidDays: 90 })

describe('what is left out of the catalog', () => {
  let store: Store
  beforeAll(async () => {
    store = await openEmptyStore()
  })
  afterEach(async () => {
    await store.db.deleteFrom('listings').execute()
    await store.db.deleteFrom('hidden_listings').execute()
  })
  afterAll(() => store.close())

  const sized = async (id: string) => {
    await store.db.updateTable('listings').set({ bytes: EACH }).where('id', '=', id).execute()
    return id
  }
  const site = async (resource: string, owner = address()) =>
    sized((await seedVerified(store, { owner, content: httpContent(resource, owner) })).id)
  const tool = async (resource: string, owner = address()) => {
    const { method: _, ...content } = httpContent(resource, owner)
    const mcp = { ...content, kind: 'mcp', toolName: 'any' } as const
    return sized((await seedListing(store, { owner, content: mcp, state: 'published' })).id)
  }
  const listed = async () => {
    const onSkipped = (_: string, error: unknown) => {
      throw error
    }
    const items = new CatalogItems({ db: store.db, onSkipped })
    await items.refresh()
    return items.all.flatMap(({ listings }) => listings.map(({ id }) => id))
  }
  const several = async (count: number, make: (n: number) => Promise<string>) => {
    const ids: string[] = []
    for (let n = 0; n < count; n++) ids.push(await make(n))
    return ids
  }

  test('is nothing while there is room', async () => {
    const ids = await several(3, (n) => site(`https://a.example/${n}`))
    expect(await refreshLeftOut(store.db, room(3))).toBe(0)
    expect(await listed()).toEqual(ids)
  })

  test('is the last to come of the domain that has most, whoever is paid there, and nothing of others', async () => {
    const flood = await several(6, (n) => site(`https://h${n}.flood.example/`))
    const later = await several(2, (n) => site(`https://shop${n}.example/`))
    expect(await refreshLeftOut(store.db, room(5))).toBe(3)
    expect(await listed()).toEqual([...flood.slice(0, 3), ...later])
    expect(await readCatalogStats(store.db)).toMatchObject({
      listings: { published: 5 },
      leftOut: { full: 3, hidden: 0, unpaid: 0 },
    })
    // With room again they are back, at their places.
    expect(await refreshLeftOut(store.db, room(8))).toBe(3)
    expect(await listed()).toEqual([...flood, ...later])
  })

  test('is the last to come of the payee that has most, of tools whose hosts nobody has proven', async () => {
    const busy = address()
    const flood = await several(5, (n) => tool(`https://any${n}.example/mcp`, busy))
    const other = await tool('https://tool.example/mcp')
    await refreshLeftOut(store.db, room(3))
    expect(await listed()).toEqual([...flood.slice(0, 2), other])
  })

  test('is first what was paid for once', async () => {
    const owner = address()
    const [first, , third] = await several(3, (n) => site(`https://a.example/${n}`, owner))
    await inTransaction(store.db, (tx) => countSettlement(tx, third as string, new Date()))
    await refreshLeftOut(store.db, room(2))
    expect(await listed()).toEqual([first, third])
    expect(await readCatalogStats(store.db)).toMatchObject({ leftOut: { full: 1 } })
  })

  test('is a tool that nobody pays for any more, until the next payment; no resource that is asked for', async () => {
    const id = await tool('https://a.example/mcp')
    const asked = await site('https://b.example/')
    const longAgo = new Date(Date.now() - 91 * 86_400_000)
    await store.db.updateTable('listings').set({ last_settled_at: longAgo }).execute()
    expect(await refreshLeftOut(store.db, room(9))).toBe(1)
    expect(await listed()).toEqual([asked])
    await inTransaction(store.db, (tx) => countSettlement(tx, id, new Date()))
    expect(await refreshLeftOut(store.db, room(9))).toBe(1)
    expect(await listed()).toEqual([id, asked])
  })

  test('is a listing or a payee that an administrator hides, also by its id, until it is shown again', async () => {
    const owner = address()
    const ids = await several(2, (n) => site(`https://a.example/${n}`, owner))
    const other = await site('https://b.example/')
    await hide(store.db, [owner, other])
    await refreshLeftOut(store.db, room(9))
    expect(await listed()).toEqual([])
    expect(await readListings(store.db, { ids })).toEqual([])
    expect(await readVersions(store.db, other, { versions: 9, bytes: 1_000_000 })).toEqual([])
    const later = await site('https://a.example/later', owner)
    await unhide(store.db, [other])
    await refreshLeftOut(store.db, room(9))
    expect(await listed()).toEqual([other])
    await unhide(store.db, [owner])
    await refreshLeftOut(store.db, room(9))
    expect(await listed()).toEqual([...ids, other, later])
  })
})
