import { expect, test } from 'vitest'
import { fillCatalog } from '../../../tools/bench/catalog/fill-catalog.ts'
import { openDiscovery } from './discovery-world.ts'

/** Two full batches of the statement that reads the catalog's order, and a part of a third. */
const LISTINGS = 4_500

test('a catalog that several statements read is listed whole, first published first', async () => {
  await using world = await openDiscovery()
  const { db } = world.store
  await fillCatalog(db, LISTINGS)
  const published = await db
    .selectFrom('listings')
    .select(['item_key', 'resource'])
    .where('state', '=', 'published')
    .orderBy('first_published_at')
    .execute()
  const expected = [...new Set(published.map(({ resource }) => resource))]
  const { total } = (await world.ask('/discovery/resources', { limit: '1' })).body.pagination
  expect(total).toBe(expected.length)
  const listed: string[] = []
  for (let offset = 0; offset < total; offset += 1_000) {
    const { body } = await world.ask('/discovery/resources', {
      ...{ limit: '100', offset: String(offset) },
    })
    listed.push(...body.items.map(({ resource }: { resource: string }) => resource))
  }
  const places = listed.map((resource) => expected.indexOf(resource))
  expect(places).not.toContain(-1)
  expect(places).toEqual(places.toSorted((a, b) => a - b))
})
