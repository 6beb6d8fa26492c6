import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { accounts, content, option, putListing } from '../../support/catalog-listing.ts'
import { type DiscoveryWorld, openDiscovery } from './discovery-world.ts'

/* The rows of the interface's tables about the catalog, each quoted in the title of its case. */

const resource = 'https://shop.example/weather/:city'
const full = content(resource, {
  description: 'Weather of a city',
  mimeType: 'application/json',
  serviceName: 'Weather',
  tags: ['weather', 'cities'],
  iconUrl: 'https://shop.example/icon.png',
  extensions: ['bazaar', 'payment-identifier'],
  bazaar: {
    info: { input: { type: 'http', method: 'GET' } },
    schema: { type: 'object' },
    routeTemplate: '/weather/:city',
  },
})
const onPubnet = option({ network: 'stellar:pubnet', payTo: accounts.muxedOnFirst, amount: '7' })
const tool = content('mcp://tool/forecast', { kind: 'mcp', toolName: 'forecast' })

const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3,6}Z$/)
const uuid = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)

const opened = new AsyncDisposableStack()
let world: DiscoveryWorld
// biome-ignore lint/suspicious/noExplicitAny: whatever came over the wire
let list: any
const ids: string[] = []

beforeAll(async () => {
  world = opened.use(await openDiscovery())
  const { db } = world.store
  ids.push(
    await putListing(db, { content: full, settlements: 3, trust: 'domain_verified' }),
    await putListing(db, {
      content: content(resource, { accepts: [onPubnet], description: 'Another text' }),
      settlements: 4,
    }),
    await putListing(db, { content: tool, trust: 'settled', settlements: 0 }),
  )
  const checked = { due_at: new Date(), lease_until: null }
  const [{ network, asset, payTo }] = full.accepts as [ReturnType<typeof option>]
  await db
    .insertInto('asset_facts')
    .values({
      ...{ network, asset, symbol: 'USDC', name: 'USD Coin', decimals: 7, ...checked },
      checked_at: new Date('2026-01-01T00:00:00Z'),
    })
    .execute()
  await db
    .insertInto('payee_facts')
    .values({
      ...{ network, asset, pay_to: payTo, receivable: true, ...checked },
      checked_at: new Date('2026-02-02T00:00:00Z'),
    })
    .execute()
  await db
    .insertInto('domain_claims')
    .values({
      ...{ host: 'shop.example', network, owner: payTo, claims_owner: true, ...checked },
      checked_at: new Date('2026-03-03T00:00:00Z'),
    })
    .execute()
  list = (await world.get('/discovery/resources')).body
})
afterAll(() => opened.disposeAsync())

describe('GET /discovery/resources', () => {
  it('"Response: x402Version (2), items (array), pagination"', () => {
    expect(Object.keys(list).toSorted()).toEqual(['items', 'pagination', 'x402Version'])
    expect(list.x402Version).toBe(2)
    expect(list.items).toHaveLength(2)
  })

  it('"pagination: limit, offset, total (integers), asOf (date-time)"', () => {
    expect(list.pagination).toEqual({ limit: 20, offset: 0, total: 2, asOf: time })
  })

  it.each([
    { row: 'resource: "string"', member: 'resource', is: resource },
    { row: 'type: "string, for example http or mcp"', member: 'type', is: 'http' },
    { row: 'x402Version: "2"', member: 'x402Version', is: 2 },
    { row: 'lastUpdated: "date-time"', member: 'lastUpdated', is: time },
    {
      row: 'extensions: "object keyed by extension name"',
      member: 'extensions',
      is: { bazaar: full.bazaar, 'payment-identifier': {} },
    },
    { row: 'description: "string"', member: 'description', is: 'Weather of a city' },
    { row: 'mimeType: "string"', member: 'mimeType', is: 'application/json' },
    { row: 'serviceName: "string"', member: 'serviceName', is: 'Weather' },
    { row: 'tags: "array of strings"', member: 'tags', is: ['weather', 'cities'] },
    { row: 'iconUrl: "string"', member: 'iconUrl', is: 'https://shop.example/icon.png' },
  ])('item, $row', ({ member, is }) => expect(list.items[0][member]).toEqual(is))

  it('item, accepts: "scheme, network (CAIP-2), asset, payTo, amount, maxTimeoutSeconds, extra.areFeesSponsored"', () => {
    expect(list.items[0].accepts).toEqual([...full.accepts, onPubnet])
  })

  it.each([
    { row: 'trust', is: 'domain_verified' },
    { row: 'settlements (integer)', is: 7 },
    { row: 'method (string)', is: 'GET' },
    { row: 'listings (array)', is: expect.any(Array) },
    { row: 'options (array)', is: expect.any(Array) },
  ])('item, svc: "$row"', ({ row, is }) => {
    expect(list.items[0].svc[row.replace(/ .*/, '')]).toEqual(is)
  })

  it('item, svc: "toolName (string)", and "the value settled appears"', () => {
    expect(list.items[1]).toMatchObject({
      type: 'mcp',
      svc: { trust: 'settled', toolName: 'forecast' },
    })
    expect(list.items[1].svc).not.toHaveProperty('method')
  })

  it.each([
    { row: 'id: "string, UUID"', member: 'id', is: uuid },
    { row: 'network: "string"', member: 'network', is: 'stellar:testnet' },
    { row: 'version: "integer"', member: 'version', is: 1 },
    { row: 'trust: "string"', member: 'trust', is: 'domain_verified' },
    { row: 'owner: "string"', member: 'owner', is: accounts.first },
    { row: 'settlements: "integer"', member: 'settlements', is: 3 },
    { row: 'firstCataloged: "date-time"', member: 'firstCataloged', is: time },
    { row: 'lastSettled: "date-time"', member: 'lastSettled', is: time },
    {
      row: 'stellar.checkedAt: "date-time"; stellar.domain.host: "string"; stellar.domain.claimsOwner: "boolean"',
      member: 'stellar',
      is: {
        checkedAt: '2026-02-02T00:00:00.000Z',
        domain: { host: 'shop.example', claimsOwner: true },
      },
    },
  ])('listing entry, $row', ({ member, is }) => {
    expect(list.items[0].svc.listings[0][member]).toEqual(is)
  })

  it('listing entry without stellar while nothing was read', () => {
    expect(list.items[0].svc.listings[1]).not.toHaveProperty('stellar')
  })

  it('option entry: "listing, symbol, name, decimals, receivable", of the entry of accepts in the same place', () => {
    expect(list.items[0].svc.options).toEqual([
      { listing: ids[0], symbol: 'USDC', name: 'USD Coin', decimals: 7, receivable: true },
      { listing: ids[1] },
    ])
  })

  it('rule 1: "first published first"', () => {
    const urls = list.items.map((item: { resource: string }) => item.resource)
    expect(urls).toEqual([resource, 'mcp://tool/forecast'])
  })

  it('rule 2: "A resource sold on several networks is one item", described by its most trusted listing', () => {
    expect(list.items[0].svc.listings.map(({ id }: { id: string }) => id)).toEqual(ids.slice(0, 2))
    expect(list.items[0].description).toBe('Weather of a city')
  })

  it('rule 3: filters "must hold for one and the same payment option; a filtered item shows only the options that matched"', async () => {
    const { body } = await world.ask('/discovery/resources', {
      ...{ payTo: accounts.first, network: 'stellar:pubnet' },
    })
    expect(body.items).toHaveLength(1)
    expect(body.items[0].accepts).toEqual([onPubnet])
    expect(body.items[0].svc).toMatchObject({ trust: 'origin_verified', settlements: 4 })
    const { body: none } = await world.ask('/discovery/resources', {
      ...{ payTo: accounts.second, network: 'stellar:pubnet' },
    })
    expect(none).toMatchObject({ items: [], pagination: { total: 0 } })
  })

  it('lists no resource that is pending or quarantined', async () => {
    await using other = await openDiscovery()
    for (const state of ['pending', 'quarantined'] as const) {
      await putListing(other.store.db, {
        content: content(`https://shop.example/${state}`),
        state,
      })
    }
    const { body } = await other.get('/discovery/resources')
    expect(body).toMatchObject({ items: [], pagination: { total: 0 } })
  })
})

describe('GET /discovery/resources/{id}', () => {
  it('"one listing": the item with exactly one listing, its state, last outcome and next check', async () => {
    const { status, body } = await world.get(`/discovery/resources/${ids[1]}`)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      resource,
      accepts: [onPubnet],
      svc: { listings: [{ id: ids[1], network: 'stellar:pubnet' }], settlements: 4 },
      state: 'published',
      lastOutcome: { phase: 'origin', status: 'success', code: 'recorded', at: time },
      nextCheckAt: null,
    })
  })

  it.each(['pending', 'quarantined'] as const)('shows a listing that is %s', async (state) => {
    const lastOutcome = {
      ...{ phase: 'origin', status: 'rejected', code: 'bazaar_info_invalid' },
      ...{ reason: 'the origin dropped the extension', at: '2026-11-22T00:00:00.000Z' },
    }
    const checkDueAt = new Date('2026-11-22T00:05:00Z')
    const id = await putListing(world.store.db, {
      ...{ content: content(`https://shop.example/one/${state}`), state, lastOutcome, checkDueAt },
    })
    const { status, body } = await world.get(`/discovery/resources/${id.toUpperCase()}`)
    expect({ status, ...body }).toMatchObject({
      ...{ status: 200, state, lastOutcome, nextCheckAt: checkDueAt.toISOString() },
    })
  })

  test.each([
    ['unknown', '/00000000-0000-4000-8000-000000000000'],
    ['no UUID', '/1'],
    ['too long', `/${'a'.repeat(8_000)}`],
    ['hostile', '/1%27%20or%201=1--'],
    ['a path', '/%2e%2e%2fhealth'],
    ['unknown', '/00000000-0000-4000-8000-000000000000/versions'],
    ['no UUID', '/x/versions'],
  ])('an id that is %s is 404 discovery_listing_not_found: %s', async (_what, path) => {
    const { status, body } = await world.get(`/discovery/resources${path}`)
    expect({ status, ...body.error }).toMatchObject({
      ...{ status: 404, code: 'discovery_listing_not_found', retryable: false },
    })
  })

  it.each(['', '/versions'])('%s takes no parameters', async (path) => {
    const { status, body } = await world.get(`/discovery/resources/${ids[0]}${path}?limit=1`)
    expect({ status, code: body.error.code }).toEqual({
      status: 400,
      code: 'discovery_invalid_parameter',
    })
  })
})

describe('GET /discovery/resources/{id}/versions', () => {
  it('"a listing\'s version history", oldest first', async () => {
    const [id = ''] = ids
    const changed = { ...full, description: 'Weather and tides of a city' }
    await world.store.db
      .insertInto('listing_versions')
      .values({
        ...{ listing_id: id, version: 2, created_at: new Date(), transaction: null },
        ...{ cause: 'origin_verification', owner: accounts.first, trust: 'origin_verified' },
        ...{ state: 'published', content: JSON.stringify(changed) },
      })
      .execute()
    const { status, body } = await world.get(`/discovery/resources/${id}/versions`)
    const common = { createdAt: time, owner: accounts.first, state: 'published' }
    expect({ status, ...body }).toEqual({
      status: 200,
      x402Version: 2,
      id,
      versions: [
        {
          ...{ ...common, version: 1, cause: 'settlement', trust: 'domain_verified' },
          ...{ transaction: 'a'.repeat(64), content: full },
        },
        {
          ...{ ...common, version: 2, cause: 'origin_verification', trust: 'origin_verified' },
          content: changed,
        },
      ],
    })
  })
})

describe('a long history', () => {
  it('is answered from its newest versions, up to 1 MiB of contents', async () => {
    await using other = await openDiscovery()
    const id = await putListing(other.store.db, { content: content('https://shop.example/often') })
    const large = { ...full, description: 'x'.repeat(60_000) }
    const versions = Array.from({ length: 30 }, (_, at) => ({
      ...{ listing_id: id, version: at + 2, created_at: new Date(), transaction: null },
      ...{
        cause: 'origin_verification' as const,
        owner: accounts.first,
        state: 'published' as const,
      },
      ...{ trust: 'origin_verified' as const, content: JSON.stringify(large) },
    }))
    await other.store.db.insertInto('listing_versions').values(versions).execute()
    const { body } = await other.get(`/discovery/resources/${id}/versions`)
    expect(body.versions.at(-1).version).toBe(31)
    expect(body.versions[0].version).toBe(31 - body.versions.length + 1)
    expect(body.versions.length).toBe(Math.floor(1_048_576 / JSON.stringify(large).length))
  })
})

describe('what a seller wrote', () => {
  it('is answered as it is stored, whatever it is, and never as HTML', async () => {
    const hostile = 'a</script><b>\u0007 \ud800 \u0000 \u202e'
    await using other = await openDiscovery()
    await putListing(other.store.db, {
      content: content('https://shop.example/hostile', { description: hostile }),
    })
    const { body, headers } = await other.get('/discovery/resources')
    // UTF-8 has no lone surrogates; JSON escapes them.
    expect(body.items[0].description).toBe(hostile)
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
  })
})
