import { HTTPFacilitatorClient } from '@x402/core/server'
import { HTTPFacilitatorClient as NextFacilitatorClient } from '@x402/core-next/server'
import { withBazaar } from '@x402/extensions/bazaar'
import { withBazaar as withNextBazaar } from '@x402/extensions-next/bazaar'
import { afterAll, beforeAll, describe, expect, it, test, vi } from 'vitest'
import { startIndexing } from '../../../src/catalog/indexing/start-indexing.ts'
import { systemClock } from '../../../src/platform/core/time/clock.ts'
import {
  accounts,
  catalogItems,
  content,
  option,
  putListing,
} from '../../support/catalog-listing.ts'
import { openEmptyStore } from '../platform/database/open-stores.ts'
import { type DiscoveryWorld, openDiscovery } from './discovery-world.ts'

/* The bazaar clients of the published packages against a real server, whose search is the real one. */

const weather = content('https://shop.example/weather', {
  serviceName: 'Weather',
  description: 'Forecast of rain, wind and temperature for a city',
  tags: ['weather', 'forecast'],
  mimeType: 'application/json',
  iconUrl: 'https://shop.example/icon.png',
})
const translation = content('mcp://tool/translate', {
  kind: 'mcp',
  toolName: 'translate',
  description: 'Translates a text from one language to another',
  extensions: ['bazaar', 'payment-identifier'],
  accepts: [option({ scheme: 'upto', network: 'stellar:pubnet', payTo: accounts.second })],
})

const opened = new AsyncDisposableStack()
let world: DiscoveryWorld
const errors: unknown[] = []

beforeAll(async () => {
  const store = opened.use(await openEmptyStore())
  await putListing(store.db, { content: weather })
  await putListing(store.db, { content: translation, trust: 'settled' })
  const indexing = opened.use(
    await startIndexing({
      ...{ db: store.db, items: catalogItems(store.db), clock: systemClock, replica: 'stock' },
      onError: (error) => errors.push(error),
      onBuilt: () => undefined,
      onSearched: () => undefined,
    }),
  )
  world = opened.use(await openDiscovery({ store, search: indexing.search }))
  await vi.waitFor(
    async () => {
      const { status, body } = await world.ask('/discovery/search', { query: 'weather' })
      expect(status).toBe(200)
      expect(body.resources[0]?.resource).toBe(weather.resource)
    },
    { timeout: 120_000, interval: 50 },
  )
})
afterAll(() => opened.disposeAsync())

const older = () => withBazaar(new HTTPFacilitatorClient({ url: world.baseUrl })).extensions
const newer = () => withNextBazaar(new NextFacilitatorClient({ url: world.baseUrl })).extensions

const lists = [
  {
    release: '2.9.0',
    list: (params?: { limit?: number }) => older().discovery.listResources(params),
  },
  {
    release: '2.27.0',
    list: (params?: { limit?: number }) => newer().bazaar.listResources(params),
  },
]

describe.each(lists)('the bazaar client $release', ({ list }) => {
  it('lists the resources with the members it knows', async () => {
    const { x402Version, items, pagination } = await list()
    expect(x402Version).toBe(2)
    expect(pagination).toMatchObject({ limit: 20, offset: 0, total: 2 })
    expect(items).toMatchObject([
      {
        ...{ resource: weather.resource, type: 'http', x402Version: 2, accepts: weather.accepts },
        ...{ description: weather.description, mimeType: weather.mimeType },
        ...{ serviceName: 'Weather', tags: weather.tags, iconUrl: weather.iconUrl },
        extensions: { bazaar: weather.bazaar },
        lastUpdated: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      },
      { resource: translation.resource, type: 'mcp', accepts: translation.accepts },
    ])
  })

  it('may ask for 1,000, as the published end-to-end tests do', async () => {
    expect((await list({ limit: 1_000 })).pagination.limit).toBe(100)
  })

  it('raises an error with the code of a refusal', async () => {
    await expect(list({ limit: 0 })).rejects.toThrow('discovery_invalid_parameter')
  })
})

it('the bazaar client 2.9.0 filters by type and pages', async () => {
  const { items, pagination } = await older().discovery.listResources({
    ...{ type: 'mcp', limit: 1, offset: 1 },
  })
  expect(items).toEqual([])
  expect(pagination).toMatchObject({ limit: 1, offset: 1, total: 1 })
})

test.each<{ filter: object; resource: string }>([
  { filter: { type: 'mcp' }, resource: translation.resource },
  { filter: { payTo: accounts.first }, resource: weather.resource },
  { filter: { scheme: 'upto' }, resource: translation.resource },
  { filter: { network: 'stellar:testnet' }, resource: weather.resource },
  { filter: { extensions: 'payment-identifier' }, resource: translation.resource },
  { filter: { limit: 1, offset: 1 }, resource: translation.resource },
])('the bazaar client 2.27.0 lists with $filter', async ({ filter, resource }) => {
  const { items } = await newer().bazaar.listResources(filter)
  expect(items.map((item) => item.resource)).toEqual([resource])
})

describe('the search of the bazaar client 2.27.0', () => {
  const search = (params: Parameters<ReturnType<typeof newer>['bazaar']['search']>[0]) =>
    newer().bazaar.search(params)

  it('finds what a question asks for, in the real index', async () => {
    const { x402Version, resources, partialResults, pagination } = await search({
      query: 'translate a text to another language',
    })
    expect({ x402Version, partialResults, pagination }).toEqual({
      ...{ x402Version: 2, partialResults: false, pagination: { limit: 10, cursor: null } },
    })
    expect(resources[0]).toMatchObject({
      ...{ resource: translation.resource, type: 'mcp', accepts: translation.accepts },
    })
  })

  it('finds nothing in a scheme that nobody sells in', async () => {
    const { resources } = await search({ query: 'translate', scheme: 'deferred' })
    expect(resources).toEqual([])
  })

  it('sends every filter, and the cursor', async () => {
    const filters = {
      ...{ query: 'weather', scheme: 'exact', network: 'stellar:testnet' },
      ...{ payTo: accounts.first, extensions: 'bazaar', type: 'http' },
    }
    const { resources } = await search({ ...filters, limit: 1 })
    expect(resources.map(({ resource }) => resource)).toEqual([weather.resource])
    await expect(search({ ...filters, cursor: 'forged' })).rejects.toThrow('search_invalid_cursor')
  })

  it('raises an error with the code of a refusal', async () => {
    await expect(search({ query: ' ' })).rejects.toThrow('search_query_required')
  })

  it('builds its index without an error', () => expect(errors).toEqual([]))
})

describe('pages in the real index', () => {
  it('go on from the first page while listings arrive', async () => {
    const { db } = world.store
    for (let at = 0; at < 6; at += 1) {
      await putListing(db, {
        content: content(`https://shop.example/tides/${at}`, {
          description: `Tide table of harbour ${at}`,
        }),
      })
    }
    const search = (query: Record<string, string>) => world.ask('/discovery/search', query)
    const seen: string[] = []
    const first = await vi.waitFor(
      async () => {
        const answer = await search({ query: 'tide table of a harbour', limit: '4' })
        expect(answer.body.resources).toHaveLength(4)
        expect(answer.body.pagination.cursor).not.toBeNull()
        return answer.body
      },
      { timeout: 120_000, interval: 50 },
    )
    await putListing(db, {
      content: content('https://shop.example/tides/new', { description: 'Tide table of harbour' }),
    })
    await vi.waitFor(
      async () => {
        const { body } = await search({ query: 'tide table of a harbour', limit: '50' })
        expect(body.svc.revision).toBeGreaterThan(first.svc.revision)
      },
      { timeout: 120_000, interval: 50 },
    )
    seen.push(...first.resources.map(({ resource }: { resource: string }) => resource))
    for (let { cursor } = first.pagination; cursor !== null; ) {
      const { body } = await search({ query: 'tide table of a harbour', limit: '4', cursor })
      expect(body.svc.revision).toBe(first.svc.revision)
      seen.push(...body.resources.map(({ resource }: { resource: string }) => resource))
      cursor = body.pagination.cursor
    }
    expect(seen).not.toContain('https://shop.example/tides/new')
    expect(new Set(seen).size).toBe(seen.length)
  })
})
