import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { accounts, content, option, putListing, setState } from '../../support/catalog-listing.ts'
import { type DiscoveryWorld, openDiscovery } from './discovery-world.ts'

const opened = new AsyncDisposableStack()
let world: DiscoveryWorld
let replica: DiscoveryWorld
beforeAll(async () => {
  world = opened.use(await openDiscovery())
  replica = opened.use(await openDiscovery({ store: world.store }))
})
afterAll(() => opened.disposeAsync())

let resources = 0
const publish = (path: string, at?: Date) =>
  putListing(world.store.db, {
    content: content(`https://shop.example/${path}/${resources++}`, {
      serviceName: path,
      accepts: [option({ scheme: path })],
    }),
    ...(at && { firstPublishedAt: at }),
  })

const urlsOf = ({ items }: { items: { resource: string }[] }) =>
  items.map(({ resource }) => resource)

describe('pages of the list', () => {
  it('give each item once while others are published, whichever replica answers', async () => {
    const runs = { count: 0 }
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 1, max: 5 }),
        fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 12 }),
        async (before, limit, arrivals) => {
          const scheme = `s${runs.count++}`
          for (let at = 0; at < before; at += 1) await publish(scheme)
          const seen: string[] = []
          let asOf: string | undefined
          let total = 0
          for (let page = 0; page === 0 || page * limit < total; page += 1) {
            const { body } = await (page % 2 === 0 ? world : replica).ask('/discovery/resources', {
              ...{ scheme, limit: String(limit), offset: String(page * limit) },
              ...(asOf !== undefined && { asOf }),
            })
            asOf = body.pagination.asOf
            seen.push(...urlsOf(body))
            expect(page === 0 || body.pagination.total === total).toBe(true)
            total = body.pagination.total
            await Promise.all(Array.from({ length: arrivals[page] ?? 0 }, () => publish(scheme)))
          }
          expect(seen).toHaveLength(before)
          expect(new Set(seen).size).toBe(before)
        },
      ),
      { numRuns: 25 },
    )
  })

  it('give each item once while others are being published all the time', async () => {
    for (let at = 0; at < 10; at += 1) await publish('busy')
    let isPaging = true
    const publishing = Promise.all(
      Array.from({ length: 3 }, async () => {
        while (isPaging) await publish('busy')
      }),
    )
    const pageOf = (offset: number, asOf?: string) =>
      world.ask('/discovery/resources', {
        ...{ scheme: 'busy', limit: '1', offset: String(offset) },
        ...(asOf !== undefined && { asOf }),
      })
    try {
      for (let round = 0; round < 5; round += 1) {
        const { pagination, items } = (await pageOf(0)).body
        const seen = urlsOf({ items })
        for (let offset = 1; offset < 10; offset += 1) {
          seen.push(...urlsOf((await pageOf(offset, pagination.asOf)).body))
        }
        expect(new Set(seen).size).toBe(10)
      }
    } finally {
      isPaging = false
      await publishing
    }
  })

  it('order items that were published at the same time by their keys', async () => {
    const at = new Date('2026-03-01T00:00:00Z')
    for (let count = 0; count < 6; count += 1) await publish('tie', at)
    const all = urlsOf((await world.ask('/discovery/resources', { scheme: 'tie' })).body)
    const { rows } = await readKeys()
    expect(all).toEqual(rows)
  })

  it('keep the place of an item whose first listing was quarantined and published again', async () => {
    const id = await publish('back')
    await publish('back')
    const list = async () =>
      urlsOf((await world.ask('/discovery/resources', { scheme: 'back' })).body)
    const both = await list()
    await setState(world.store.db, id, 'quarantined')
    expect(await list()).toEqual(both.slice(1))
    await setState(world.store.db, id, 'published')
    expect(await list()).toEqual(both)
  })

  it('show a resource on a second network in the place of its first', async () => {
    const resource = 'https://shop.example/two-networks'
    const ways = [option({ scheme: 'twice' })]
    await putListing(world.store.db, { content: content(resource, { accepts: ways }) })
    await publish('twice')
    const before = (await world.ask('/discovery/resources', { scheme: 'twice' })).body
    await putListing(world.store.db, {
      content: content(resource, {
        accepts: [option({ scheme: 'twice', network: 'stellar:pubnet', payTo: accounts.second })],
      }),
    })
    const after = (await world.ask('/discovery/resources', { scheme: 'twice' })).body
    expect(urlsOf(after)).toEqual(urlsOf(before))
    const networksOf = (body: typeof after) =>
      body.items[0].svc.listings.map(({ network }: { network: string }) => network)
    expect(networksOf(before)).toEqual(['stellar:testnet'])
    expect(networksOf(after)).toEqual(['stellar:testnet', 'stellar:pubnet'])
    const { asOf } = before.pagination
    const pinned = await world.ask('/discovery/resources', { scheme: 'twice', asOf })
    expect(networksOf(pinned.body)).toEqual(['stellar:testnet'])
  })

  it('pull a time in the future back to now, and are stable from then on', async () => {
    const before = Date.now()
    const { body } = await world.ask('/discovery/resources', { asOf: '2999-01-01T00:00:00Z' })
    const asOf = Date.parse(body.pagination.asOf)
    expect(asOf).toBeGreaterThanOrEqual(before - 5)
    expect(asOf).toBeLessThan(Date.parse('2999-01-01T00:00:00Z'))
  })
})

async function readKeys(): Promise<{ rows: string[] }> {
  const rows = await world.store.db
    .selectFrom('listings')
    .select(['resource', 'item_key'])
    .where('resource', 'like', 'https://shop.example/tie/%')
    .execute()
  return {
    rows: rows
      .toSorted((a, b) => (a.item_key < b.item_key ? -1 : 1))
      .map(({ resource }) => resource),
  }
}

test('a database that was restored to an earlier time is read anew', async () => {
  const { db } = world.store
  const id = await publish('restored')
  const list = async () =>
    urlsOf((await world.ask('/discovery/resources', { scheme: 'restored' })).body)
  expect(await list()).toHaveLength(1)
  await db.deleteFrom('listings').where('id', '=', id).execute()
  await db.updateTable('catalog_revisions').set({ revision: 1n }).execute()
  expect(await list()).toEqual([])
})
