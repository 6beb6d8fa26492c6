import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Embedder } from '../../../src/catalog/indexing/document-embeddings.ts'
import { type Indexing, startIndexing } from '../../../src/catalog/indexing/start-indexing.ts'
import { listSearchBuilds } from '../../../src/catalog/store/discovery/search-builds.ts'
import { systemClock } from '../../../src/platform/core/time/clock.ts'
import type { Store } from '../../../src/platform/database/open.ts'
import { catalogItems } from '../../support/catalog-listing.ts'
import { openEmptyStore } from '../platform/database/open-stores.ts'
import { change, contentOf, insert } from './published-listings.ts'

const eventually = (check: () => Promise<void> | void) =>
  vi.waitFor(check, { timeout: 120_000, interval: 20 })

describe('the search index over the store', () => {
  let store: Store
  const open: AsyncDisposable[] = []
  const errors: unknown[] = []

  beforeAll(async () => {
    store = await openEmptyStore()
  })
  afterAll(() => store.close())
  afterEach(async () => {
    for (const each of open.splice(0).reverse()) await each[Symbol.asyncDispose]()
    errors.length = 0
    for (const table of ['listings', 'asset_facts', 'search_embeddings'] as const) {
      await store.db.deleteFrom(table).execute()
    }
    await sql`update catalog_revisions set revision = 0`.execute(store.db)
  })

  const start = async (
    replica = 'one',
    embedder?: Embedder,
    items = catalogItems(store.db),
  ): Promise<Indexing> => {
    const indexing = await startIndexing({
      db: store.db,
      items,
      clock: systemClock,
      replica,
      embedder,
      onError: (error) => errors.push(error),
      onBuilt: () => undefined,
      onSearched: () => undefined,
    })
    open.push(indexing)
    return indexing
  }
  const found = async ({ search }: Indexing, query: string, filters = {}) =>
    (await search.search({ query, filters }))?.itemKeys
  const keyOf = async (id: string) => {
    const row = await store.db.selectFrom('listings').selectAll().where('id', '=', id).execute()
    return row[0]?.item_key
  }

  test('serves an empty catalog once its first index is built', async () => {
    const indexing = await start()

    await eventually(async () => expect(await found(indexing, 'weather')).toEqual([]))
    expect(indexing.build()).toMatchObject({ result: 'ok', revision: 0, listings: 0 })
  })

  test('finds what was published before it started, and what is published, changed and quarantined later', async () => {
    const weather = await insert(store, contentOf('weather'))
    const indexing = await start()
    await eventually(async () =>
      expect(await found(indexing, 'weather')).toEqual([await keyOf(weather)]),
    )

    const translation = await insert(store, contentOf('translation'))
    await eventually(async () =>
      expect(await found(indexing, 'translation')).toContain(await keyOf(translation)),
    )

    await change(store, weather, { content: contentOf('weather', { serviceName: 'Tides' }) })
    await eventually(async () =>
      expect(await found(indexing, 'tides')).toContain(await keyOf(weather)),
    )

    await change(store, weather, { state: 'quarantined' })
    await eventually(async () =>
      expect(await found(indexing, 'tides')).not.toContain(await keyOf(weather)),
    )
    expect(errors).toEqual([])
  })

  test('holds what the list read before it', async () => {
    const items = catalogItems(store.db)
    const indexing = await start('one', undefined, items)
    await eventually(() => expect(indexing.build()).toMatchObject({ listings: 0 }))

    const id = await insert(store, contentOf('weather'))
    await items.refresh()

    await eventually(async () =>
      expect(await found(indexing, 'weather')).toEqual([await keyOf(id)]),
    )
  })

  test('finds a resource by the words of its most trusted listing', async () => {
    const resource = 'https://tides.example/v1/tides'
    await insert(store, contentOf('squatter', { resource }))
    const words = { resource, serviceName: 'Tides', description: 'Times of high water' }
    const genuine = await insert(store, contentOf('tides', words, 'stellar:pubnet'))
    await change(store, genuine, { trust: 'domain_verified' })
    const indexing = await start()

    await eventually(async () =>
      expect(await found(indexing, 'high water')).toEqual([await keyOf(genuine)]),
    )
    expect(await found(indexing, 'squatter')).toEqual([])
  })

  test('does not find a listing that waits for its origin', async () => {
    await insert(store, contentOf('weather'), { state: 'pending' })
    const indexing = await start()

    await eventually(() => expect(indexing.build()).toMatchObject({ revision: 1, listings: 0 }))
    expect(await found(indexing, 'weather')).toEqual([])
  })

  test('holds a resource of two networks once, and filters by either', async () => {
    const id = await insert(store, contentOf('weather'))
    await insert(store, contentOf('weather', {}, 'stellar:pubnet'))
    const indexing = await start()
    await eventually(() => expect(indexing.build()).toMatchObject({ revision: 2, listings: 1 }))

    for (const network of ['stellar:testnet', 'stellar:pubnet']) {
      expect(await found(indexing, 'weather', { network })).toEqual([await keyOf(id)])
    }
  })

  test('knows symbol and decimals of an asset as soon as the ledger was read', async () => {
    const content = contentOf('weather')
    const id = await insert(store, content)
    const indexing = await start()
    await eventually(() => expect(indexing.build()).toMatchObject({ listings: 1 }))
    expect(await found(indexing, 'weather', { asset: 'USDC' })).toEqual([])

    const asset = content.accepts[0]?.asset
    await sql`insert into asset_facts (network, asset, symbol, decimals, checked_at, due_at)
      values ('stellar:testnet', ${asset}, 'USDC', 7, clock_timestamp(), clock_timestamp())`.execute(
      store.db,
    )

    await eventually(async () =>
      expect(await found(indexing, 'weather', { asset: 'USDC' })).toEqual([await keyOf(id)]),
    )
  })

  test('publishes what it has built for the other processes, and takes it back when it stops', async () => {
    const indexing = await start('one')
    await start('two')
    await insert(store, contentOf('weather'))

    await eventually(async () =>
      expect(await listSearchBuilds(store.db)).toEqual([
        expect.objectContaining({ revision: 1, result: 'ok', listings: 1 }),
        expect.objectContaining({ revision: 1, result: 'ok', listings: 1 }),
      ]),
    )
    await indexing[Symbol.asyncDispose]()

    expect(await listSearchBuilds(store.db)).toHaveLength(1)
  })

  test('answers with the shipped vectors while the embeddings endpoint fails, and with its own afterwards', async () => {
    const texts: string[] = []
    let fails = true
    const embedder: Embedder = {
      model: 'small',
      embed: async (some) => {
        if (fails) throw new Error('the endpoint is down')
        texts.push(...some)
        return some.map((text) => Float32Array.of(text.includes('weather') ? 1 : 0, 1))
      },
    }
    const id = await insert(store, contentOf('weather'))
    const indexing = await start('one', embedder)
    await eventually(() => expect(indexing.build()).toMatchObject({ result: 'degraded' }))

    const answer = await indexing.search.search({ query: 'weather', filters: {} })

    expect(answer).toMatchObject({ itemKeys: [await keyOf(id)], partialResults: true })
    expect(answer?.method).toBe('hybrid')
    expect(indexing.build()?.embeddingFailures).toBeGreaterThan(0)
    expect(errors).not.toEqual([])

    fails = false
    const other = await start('two', embedder)
    await eventually(async () => {
      const later = await other.search.search({ query: 'weather forecast', filters: {} })
      expect(later).toMatchObject({ itemKeys: [await keyOf(id)], partialResults: false })
      expect(texts).toContain('weather forecast')
    })
    expect(other.build()).toMatchObject({ result: 'ok' })
  })

  test('asks the endpoint once for a text that another process embedded', async () => {
    const texts: string[] = []
    const embedder: Embedder = {
      model: 'small',
      embed: async (some) => {
        texts.push(...some)
        return some.map(() => Float32Array.of(1, 0))
      },
    }
    await insert(store, contentOf('weather'))
    const first = await start('one', embedder)
    await eventually(async () => {
      await first.search.search({ query: 'rain', filters: {} })
      expect(texts).toContain('rain')
    })
    const before = texts.length

    const second = await start('two', embedder)
    await eventually(async () => {
      await second.search.search({ query: 'snow', filters: {} })
      expect(texts).toContain('snow')
    })

    expect(texts.slice(before)).toEqual(['snow'])
  })
})
