import { afterAll, beforeAll, beforeEach, describe, expect, it, test } from 'vitest'
import { itemKeyOf } from '../../../src/catalog/items/item-key.ts'
import { accounts, content, option, putListing, setState } from '../../support/catalog-listing.ts'
import { type DiscoveryWorld, openDiscovery } from './discovery-world.ts'
import { answer, putRanked, rankedKeys, urlOf, urlsOf } from './ranked-listings.ts'

const opened = new AsyncDisposableStack()
let world: DiscoveryWorld
let ids: string[]

beforeAll(async () => {
  world = opened.use(await openDiscovery())
  ids = await putRanked(world.store)
})
beforeEach(() => {
  world.search.answer = answer()
  world.search.requests.length = 0
})
afterAll(() => opened.disposeAsync())

const search = (query: Record<string, string>) => world.ask('/discovery/search', query)

describe('GET /discovery/search', () => {
  it('answers items in ranked order, in the shape of the list', async () => {
    const ranked = [3, 1, 2].map((at) => rankedKeys[at] ?? '')
    world.search.answer = answer({ itemKeys: ranked })
    const { body } = await search({ query: 'weather' })
    expect(urlsOf(body)).toEqual([3, 1, 2].map(urlOf))
    const list = await world.ask('/discovery/resources', { limit: '4' })
    expect(body.resources[0]).toEqual(list.body.items[3])
    expect(body).toMatchObject({ x402Version: 2, partialResults: false })
    expect(body).not.toHaveProperty('total')
    expect(body.pagination).toEqual({ limit: 10, cursor: null })
  })

  it('says how it was found, and what it read from the words', async () => {
    world.search.answer = answer({
      method: 'lexical',
      recognised: ['network=stellar:testnet', 'maxPrice=0.02 USD'],
      partialResults: true,
    })
    const { body } = await search({ query: 'weather' })
    expect(body.partialResults).toBe(true)
    expect(body.svc).toEqual({
      method: 'lexical',
      recognised: ['network=stellar:testnet', 'maxPrice=0.02 USD'],
      revision: 7,
    })
  })

  it('says so when the best may not be what was asked for', async () => {
    world.search.answer = answer({ lowConfidence: true })
    expect((await search({ query: 'weather' })).body.svc.lowConfidence).toBe(true)
  })

  it('answers no resources when nothing fits', async () => {
    world.search.answer = answer({ itemKeys: [] })
    const { status, body } = await search({ query: 'weather' })
    expect({ status, resources: body.resources }).toEqual({ status: 200, resources: [] })
  })

  it('leaves out what was withdrawn since it was ranked', async () => {
    const [first = '', second = ''] = ids
    await setState(world.store.db, first, 'quarantined')
    await setState(world.store.db, second, 'pending')
    const { body } = await search({ query: 'weather', limit: '3' })
    expect(urlsOf(body)).toEqual([urlOf(2)])
    await setState(world.store.db, first, 'published')
    await setState(world.store.db, second, 'published')
  })

  it('hands the trimmed query and every filter to the ranking', async () => {
    const filters = {
      type: 'http',
      payTo: accounts.first,
      scheme: 'exact',
      network: 'stellar:testnet',
      asset: 'USDC',
      maxPrice: '0.02',
    }
    await search({ query: '  rain in Rome ', extensions: 'bazaar,other', ...filters })
    expect(world.search.requests).toEqual([
      { query: 'rain in Rome', filters: { ...filters, extensions: ['bazaar', 'other'] } },
    ])
  })

  it('is unavailable until an index is built', async () => {
    world.search.answer = undefined
    const { status, body, headers } = await search({ query: 'weather' })
    expect({ status, code: body.error.code }).toEqual({ status: 503, code: 'service_unavailable' })
    expect(headers.get('retry-after')).toBe('1')
  })

  test.each([
    { query: {}, code: 'discovery_invalid_parameter', names: 'query' },
    { query: { query: '' }, code: 'search_query_required' },
    { query: { query: ' \t ' }, code: 'search_query_required' },
    { query: { query: 'x'.repeat(501) }, code: 'search_query_too_long' },
    { query: { query: 'x'.repeat(2_000) }, code: 'search_query_too_long' },
    { query: { query: 'x'.repeat(2_001) }, code: 'discovery_invalid_parameter', names: 'query' },
    { query: { query: 'a', q: 'a' }, code: 'discovery_invalid_parameter', names: 'q' },
    { query: { query: 'a', offset: '1' }, code: 'discovery_invalid_parameter', names: 'offset' },
    { query: { query: 'a', asOf: '1' }, code: 'discovery_invalid_parameter', names: 'asOf' },
    { query: { query: 'a', limit: '0' }, code: 'discovery_invalid_parameter', names: 'limit' },
    {
      query: { query: 'a', asset: 'toolongsymbol' },
      code: 'discovery_invalid_parameter',
      names: 'asset',
    },
    {
      query: { query: 'a', asset: accounts.first },
      code: 'discovery_invalid_parameter',
      names: 'asset',
    },
    {
      query: { query: 'a', asset: `C${'A'.repeat(55)}` },
      code: 'discovery_invalid_parameter',
      names: 'asset',
    },
    {
      query: { query: 'a', maxPrice: '-1' },
      code: 'discovery_invalid_parameter',
      names: 'maxPrice',
    },
    {
      query: { query: 'a', maxPrice: '1e3' },
      code: 'discovery_invalid_parameter',
      names: 'maxPrice',
    },
    {
      query: { query: 'a', maxPrice: `${'1'.repeat(16)}` },
      code: 'discovery_invalid_parameter',
      names: 'maxPrice',
    },
    {
      query: { query: 'a', maxPrice: `0.${'1'.repeat(19)}` },
      code: 'discovery_invalid_parameter',
      names: 'maxPrice',
    },
    { query: { query: 'a', payTo: 'G' }, code: 'discovery_invalid_parameter', names: 'payTo' },
    {
      query: { query: 'a', cursor: 'x'.repeat(513) },
      code: 'discovery_invalid_parameter',
      names: 'cursor',
    },
    { query: { query: 'a', cursor: 'x'.repeat(512) }, code: 'search_invalid_cursor' },
    { query: { query: 'a', cursor: '' }, code: 'search_invalid_cursor' },
  ])('refuses $query with $code', async ({ query, code, names }) => {
    const { status, body } = await search(query as Record<string, string>)
    expect({ status, code: body.error.code }).toEqual({ status: 400, code })
    expect(body.error.retryable).toBe(false)
    expect(body.error.reason).toContain(names ?? '')
    expect(world.search.requests).toEqual([])
  })

  test.each([
    { asked: '50', limit: 50 },
    { asked: '51', limit: 50 },
    { asked: '99999999999999999999999', limit: 50 },
    { asked: '1', limit: 1 },
  ])('takes a limit of $asked for $limit', async ({ asked, limit }) => {
    expect((await search({ query: 'a', limit: asked })).body.pagination.limit).toBe(limit)
  })

  it('takes the longest query', async () => {
    expect((await search({ query: 'x'.repeat(500) })).status).toBe(200)
  })
})

describe('the options of a found resource', () => {
  const own = content('https://shop.example/priced', {
    accepts: [
      option({ amount: '100000' }),
      option({ amount: '900000', scheme: 'upto' }),
      option({ asset: 'CAEQSCIJBEEQSCIJBEEQSCIJBEEQSCIJBEEQSCIJBEEQSCIJBEEQTD2L', amount: '5' }),
    ],
  })

  beforeAll(async () => {
    const { db } = world.store
    await putListing(db, { content: own })
    const facts = own.accepts.slice(1).map(({ network, asset }, at) => ({
      ...{ network, asset, symbol: ['USDC', 'rare'][at] ?? '', name: null, decimals: 7 },
      ...{ checked_at: new Date(), due_at: new Date(), lease_until: null },
    }))
    await db.insertInto('asset_facts').values(facts).execute()
  })

  test.each<{ filters: Record<string, string>; amounts: string[] }>([
    { filters: {}, amounts: ['100000', '900000', '5'] },
    { filters: { scheme: 'exact' }, amounts: ['100000', '5'] },
    { filters: { asset: 'usdc' }, amounts: ['100000', '900000'] },
    { filters: { asset: own.accepts[2]?.asset ?? '' }, amounts: ['5'] },
    { filters: { asset: 'RARE', maxPrice: '0.0000005' }, amounts: ['5'] },
    { filters: { asset: 'USDC', maxPrice: '0.05' }, amounts: ['100000'] },
    { filters: { maxPrice: '0.01' }, amounts: ['100000'] },
    { filters: { maxPrice: '0.01', scheme: 'upto' }, amounts: [] },
  ])('are those that meet $filters', async ({ filters, amounts }) => {
    world.search.answer = answer({ itemKeys: [itemKeyOf(own)] })
    const { body } = await search({ query: 'priced', ...filters })
    const shown = body.resources.flatMap(({ accepts }: { accepts: { amount: string }[] }) =>
      accepts.map(({ amount }) => amount),
    )
    expect(shown).toEqual(amounts)
  })
})
