import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import type { PaymentOption } from '../../../src/catalog/listing.ts'
import type { Trust } from '../../../src/catalog/store/tables.ts'
import { networkIds, usdcContracts } from '../../../src/platform/core/caip2.ts'
import { accounts, content, option, putListing } from '../../support/catalog-listing.ts'
import { type DiscoveryWorld, openDiscovery } from './discovery-world.ts'

/* Every filter of the list, and every pair of filters, compared with a plain model of the same resources. */

interface Resource {
  readonly resource: string
  readonly kind: 'http' | 'mcp'
  readonly network: (typeof networkIds)[number]
  readonly extensions: readonly string[]
  readonly accepts: readonly PaymentOption[]
  readonly publishedAt: Date
  readonly trust: Trust
}

const { first, second, muxedOnFirst } = accounts
const waysToPay: readonly Partial<PaymentOption>[][] = [
  [{ payTo: first }],
  [{ payTo: second, scheme: 'upto' }],
  // No option has both the first scheme and the first account.
  [
    { payTo: second, scheme: 'exact' },
    { payTo: muxedOnFirst, scheme: 'upto' },
  ],
  [{ payTo: muxedOnFirst }, { payTo: muxedOnFirst, amount: '5' }],
]
const start = Date.parse('2026-01-01T00:00:00Z')

const resources: readonly Resource[] = (['http', 'mcp'] as const)
  .flatMap((kind) => networkIds.map((network) => ({ kind, network })))
  .flatMap((one) => [[], ['payment-identifier']].map((more) => ({ ...one, more })))
  .flatMap((one) => waysToPay.map((ways) => ({ ...one, ways })))
  .map(({ kind, network, more, ways }, at) => ({
    // Half of them are sold on both networks.
    resource: `https://shop.example/${kind}/${waysToPay.indexOf(ways)}${more.join()}${waysToPay.indexOf(ways) % 2 === 0 ? '' : network}`,
    kind,
    network,
    extensions: ['bazaar', ...more],
    accepts: ways.map((way) => option({ ...way, network })),
    publishedAt: new Date(start + ((at * 7) % 32) * 60_000),
    trust: (['settled', 'origin_verified', 'domain_verified'] as const)[at % 3]!,
  }))

const asOf = new Date(start + 20 * 60_000).toISOString()

interface Filter {
  readonly name: string
  readonly value: string
  /** Whether a resource's own members meet it. */
  readonly listing?: (resource: Resource) => boolean
  readonly option?: (option: PaymentOption) => boolean
}

const filters: readonly Filter[] = [
  { name: 'type', value: 'mcp', listing: ({ kind }) => kind === 'mcp' },
  {
    name: 'payTo',
    value: first,
    option: ({ payTo }) => payTo === first || payTo === muxedOnFirst,
  },
  { name: 'scheme', value: 'exact', option: ({ scheme }) => scheme === 'exact' },
  {
    name: 'network',
    value: 'stellar:pubnet',
    option: ({ network }) => network === 'stellar:pubnet',
  },
  {
    name: 'extensions',
    value: 'bazaar,payment-identifier',
    listing: ({ extensions }) => extensions.includes('payment-identifier'),
  },
  { name: 'trust', value: 'origin_verified', listing: ({ trust }) => trust !== 'settled' },
  {
    name: 'asset',
    value: usdcContracts['stellar:pubnet'],
    option: ({ asset }) => asset === usdcContracts['stellar:pubnet'],
  },
  { name: 'asOf', value: asOf, listing: ({ publishedAt }) => publishedAt.toISOString() <= asOf },
]

const pairs = filters.flatMap((one, at) => filters.slice(at + 1).map((other) => [one, other]))

/** Resource and options of each item, in the catalog's order. */
function expected(applied: readonly Filter[]) {
  const shown = resources
    .map((resource) => ({
      ...resource,
      accepts: applied.every(({ listing }) => listing?.(resource) ?? true)
        ? resource.accepts.filter((way) => applied.every((each) => each.option?.(way) ?? true))
        : [],
    }))
    .filter(({ accepts }) => accepts.length > 0)
    .toSorted((a, b) => Number(a.publishedAt) - Number(b.publishedAt))
  const placeOf = (url: string) =>
    Math.min(
      ...resources.filter(({ resource }) => resource === url).map((each) => +each.publishedAt),
    )
  return [...Map.groupBy(shown, ({ resource }) => resource)]
    .toSorted(([a], [b]) => placeOf(a) - placeOf(b))
    .map(([resource, listings]) => ({
      resource,
      accepts: listings.flatMap(({ accepts }) => accepts),
    }))
}

const opened = new AsyncDisposableStack()
let world: DiscoveryWorld
beforeAll(async () => {
  world = opened.use(await openDiscovery())
  for (const { publishedAt, trust, resource, ...declared } of resources.toReversed()) {
    await putListing(world.store.db, {
      content: content(resource, { ...declared }),
      firstPublishedAt: publishedAt,
      trust,
    })
  }
})
afterAll(() => opened.disposeAsync())

async function listed(applied: readonly Filter[]) {
  const query = Object.fromEntries(applied.map(({ name, value }) => [name, value]))
  const { status, body } = await world.ask('/discovery/resources', { ...query, limit: '100' })
  expect(status).toBe(200)
  expect(body.pagination.total).toBe(body.items.length)
  return body.items
}

const plain = ({ resource, accepts }: { resource: string; accepts: object[] }) => ({
  resource,
  accepts,
})

describe('GET /discovery/resources', () => {
  it('lists every resource without a filter', async () => {
    expect((await listed([])).map(plain)).toEqual(expected([]))
  })

  test.each(filters)('filters by $name', async (filter) => {
    const items = await listed([filter])
    expect(items.map(plain)).toEqual(expected([filter]))
    expect(items.length).toBeGreaterThan(0)
    expect(items.length).toBeLessThan(expected([]).length)
  })

  test.each(
    pairs.map(([one, other]) => ({ names: `${one?.name} and ${other?.name}`, one, other })),
  )('filters by $names together', async ({ one, other }) => {
    const pair = [one, other].flatMap((each) => each ?? [])
    const items = await listed(pair)
    expect(items.map(plain)).toEqual(expected(pair))
    expect(items.length).toBeGreaterThan(0)
  })

  it('filters by all of them together', async () => {
    expect((await listed(filters)).map(plain)).toEqual(expected(filters))
  })

  it('shows the listings that matched alone, and facts beside each option', async () => {
    for (const { accepts, svc } of await listed(filters.slice(1, 4))) {
      const networks = svc.listings.map(({ network }: { network: string }) => network)
      expect(networks).toEqual(['stellar:pubnet'])
      expect(svc.options).toHaveLength(accepts.length)
    }
  })

  it.each([
    { query: { type: 'grpc' }, what: 'an unknown type' },
    { query: { scheme: 'deferred' }, what: 'an unknown scheme' },
    { query: { network: 'eip155:8453' }, what: 'a network that nothing is sold on' },
    { query: { extensions: 'bazaar,offer-receipt' }, what: 'an extension that none declares' },
    { query: { asOf: '2025-12-31T23:59:59.999Z' }, what: 'a time before the first publication' },
  ])('matches nothing for $what', async ({ query }) => {
    const { status, body } = await world.ask('/discovery/resources', query)
    expect({ status, items: body.items, total: body.pagination.total }).toEqual({
      status: 200,
      items: [],
      total: 0,
    })
  })

  it('finds only itself for a muxed address', async () => {
    const items = await listed([{ name: 'payTo', value: muxedOnFirst }])
    const paid = items.flatMap(({ accepts }: { accepts: PaymentOption[] }) =>
      accepts.map(({ payTo }) => payTo),
    )
    expect(new Set(paid)).toEqual(new Set([muxedOnFirst]))
  })
})
