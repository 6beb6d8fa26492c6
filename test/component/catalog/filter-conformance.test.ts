import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import type { PaymentOption } from '../../../src/catalog/listing.ts'
import { accounts, content, option, putListing } from '../../support/catalog-listing.ts'
import { type DiscoveryWorld, openDiscovery } from './discovery-world.ts'
import { answer, putRanked } from './ranked-listings.ts'

/*
 * The vectors V0 to V7 that x402 proposes for the filters of the list, in specs/extensions/bazaar_discovery_conformance.md
 * of x402-foundation/x402. Its draft has a string as `error` of a 400; here the contract of this service holds, whose
 * `error` is an object.
 */

interface Item {
  readonly resource: string
  readonly type: string
  readonly accepts: readonly PaymentOption[]
  readonly extensions: Readonly<Record<string, unknown>>
}

const opened = new AsyncDisposableStack()
let world: DiscoveryWorld
beforeAll(async () => {
  world = opened.use(await openDiscovery())
  const { db } = world.store
  // One item on both networks, and two on one of them: the less common network is pubnet.
  const pubnet = [option({ network: 'stellar:pubnet' })]
  await putListing(db, { content: content('https://shop.example/both') })
  await putListing(db, { content: content('https://shop.example/both', { accepts: pubnet }) })
  await putListing(db, { content: content('https://shop.example/test') })
  await putListing(db, { content: content('https://shop.example/tool', { kind: 'mcp' }) })
  await putRanked(world.store)
})
afterAll(() => opened.disposeAsync())

async function listed(query: Readonly<Record<string, string>>): Promise<readonly Item[]> {
  const { status, body } = await world.ask('/discovery/resources', { limit: '50', ...query })
  expect({ status, total: body.pagination.total }).toEqual({
    status: 200,
    total: body.items.length,
  })
  return body.items
}

const evm = '0x0000000000000000000000000000000000000001'

describe('GET /discovery/resources, the vectors of x402', () => {
  it.each<{ id: string; name: string; value: string; holds: (item: Item) => boolean }>([
    { id: 'V1', name: 'type', value: 'mcp', holds: ({ type }) => type === 'mcp' },
    { id: 'V2', name: 'payTo', value: evm, holds: () => false },
    { id: 'V3', name: 'scheme', value: 'batch-settlement', holds: () => false },
    { id: 'V4', name: 'network', value: 'eip155:999999999', holds: () => false },
    { id: 'V5', name: 'extensions', value: 'payment-identifier', holds: () => false },
  ])(
    '$id $name=$value shows the items of V0 that have it, and no other',
    async ({ name, value, holds }) => {
      const baseline = await listed({})
      const filtered = await listed({ [name]: value })
      expect(filtered).toEqual(baseline.filter(holds))
    },
  )

  it('V6 network=!!! is refused', async () => {
    const { status, body } = await world.ask('/discovery/resources', { network: '!!!' })
    expect({ status, code: body.error.code }).toEqual({
      status: 400,
      code: 'discovery_invalid_parameter',
    })
  })

  it('V7 the less common network shows fewer items than V0, each sold on it', async () => {
    const baseline = await listed({})
    const filtered = await listed({ network: 'stellar:pubnet' })
    expect(filtered.map(({ resource }) => resource)).toEqual(['https://shop.example/both'])
    expect(filtered.length).toBeLessThan(baseline.length)
    for (const { accepts } of filtered)
      expect(accepts.map(({ network }) => network)).toEqual(['stellar:pubnet'])
  })
})

const ofOtherChains = [
  evm,
  `0x${'aB'.repeat(32)}`,
  'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
  'PNWOET7LLOWMBMLE4KOCELCX6X3D3Q4H2Q4QJASYIEOF7YIPPQBG3YQ5YI',
  'cosmos1fl48vsnmsdzcv85q5d2q4z5ajdha8yu34mf0eh',
  'addr1qx2fxv2umyhttkxyxp8x0dlpdt3k6cwng5pxj3jhsydzer3n0d3vllmyqwsx5wktcd8cc3sq835lu7drv2xwl2wywfgse35a3x',
  'rEb8TK3gBgk5auZkwc6sHnwrGVJH8DuaLh',
  '0.0.456858',
  'EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs',
  '0:ed1691307050047117b998b561d8de82d31fbf84910ced6eb5fc92e7485ef8a7',
  'seller.near',
]

describe.each(['/discovery/resources', '/discovery/search'])('%s', (path) => {
  const isSearch = path.endsWith('search')
  const asked = (query: Readonly<Record<string, string>>) => {
    world.search.answer = answer()
    return world.ask(path, { ...(isSearch && { query: 'weather' }), ...query })
  }

  const impossible = [
    ...ofOtherChains.map((payTo) => ({ payTo })),
    ...(isSearch ? ofOtherChains.map((asset) => ({ asset })) : []),
    { network: 'eip155:8453' },
    { scheme: 'batch-settlement' },
  ] as Record<string, string>[]

  test.each(impossible)('shows nothing for %o, which nothing here can have', async (query) => {
    const { status, body } = await asked(query)
    expect({ status, shown: body.resources ?? body.items }).toEqual({ status: 200, shown: [] })
  })

  const { first, muxedOnFirst } = accounts
  const malformed = [
    ...[first.toLowerCase(), `${first.slice(0, -1)}A`, `${muxedOnFirst.slice(0, -1)}A`],
    ...[`S${first.slice(1)}`, 'G', `${evm},${evm}`, `${evm} `, 'x'.repeat(129), 'seller'],
  ]
  const refused = [
    ...malformed.map((payTo) => ({ payTo })),
    ...(isSearch ? [first, `C${'A'.repeat(55)}`, 'toolongsymbol'].map((asset) => ({ asset })) : []),
    { network: '!!!' },
    { scheme: '!!!' },
  ] as Record<string, string>[]

  test.each(refused)('refuses %o, which is malformed', async (query) => {
    const { status, body } = await asked(query)
    expect({ status, ...body.error }).toMatchObject({
      ...{ status: 400, code: 'discovery_invalid_parameter', retryable: false },
      reason: expect.stringContaining(`the parameter ${Object.keys(query)[0]} must be `),
    })
  })
})
