/** The rows of the transition table whose event is a settlement. */
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { httpBazaar, mcpBazaar, SELLER, USDC } from '../../../support/catalog/declarations.ts'
import {
  BUYER,
  type IntakeWorld,
  isDueNow,
  OTHER_PAYEE,
  openIntakeWorld,
  type Settled,
} from './intake-world.ts'

const mcp = { declaration: { bazaar: mcpBazaar(), resource: { url: 'mcp://tool/forecast' } } }
const WEATHER = 'https://api.example.com/weather'
const changed = { option: { amount: '200000' } }
const described = (description: string, bazaar: unknown = httpBazaar()): Settled => ({
  declaration: { resource: { url: WEATHER, description }, bazaar },
})

describe('a settled payment', () => {
  let world: IntakeWorld
  beforeAll(async () => {
    world = await openIntakeWorld()
  })
  afterEach(() => world.empty())
  afterAll(() => world[Symbol.asyncDispose]())

  test('none, settled payment, HTTP: pending v1, awaiting_origin_verification, check due at once', async () => {
    const onListed = vi.fn()
    const outcome = await world.record({}, { onListed })
    const listing = await world.listing()
    expect(outcome).toMatchObject({
      status: 'processing',
      code: 'awaiting_origin_verification',
      reason: null,
      listing_id: listing.id,
      version: 1,
      dropped: [],
      resource: 'https://api.example.com/weather',
      pay_to: SELLER,
      payer: BUYER,
    })
    expect(listing).toMatchObject({
      kind: 'http',
      resource: 'https://api.example.com/weather',
      method: 'GET',
      tool_name: null,
      host: 'api.example.com',
      owner: SELLER,
      state: 'pending',
      trust: 'settled',
      version: 1,
      settlements: 1n,
      first_published_at: null,
      last_outcome: { phase: 'settle', status: 'processing', code: 'awaiting_origin_verification' },
    })
    expect(isDueNow(listing.check_due_at)).toBe(true)
    expect(await world.versions()).toMatchObject([
      { version: 1, cause: 'settlement', transaction: outcome.transaction, owner: SELLER },
    ])
    expect(onListed).toHaveBeenCalledTimes(1)
  })

  test('notes the asset that it was made in', async () => {
    await world.record()
    const noted = await world.db.selectFrom('asset_facts').selectAll().execute()
    expect(noted).toMatchObject([{ asset: USDC, is_paid: true }])
  })

  test('none, settled payment, MCP: published v1, cataloged', async () => {
    const onListed = vi.fn()
    const outcome = await world.record(mcp, { onListed })
    const listing = await world.listing()
    expect(outcome).toMatchObject({ status: 'success', code: 'cataloged', version: 1 })
    expect(listing).toMatchObject({
      kind: 'mcp',
      resource: 'mcp://tool/forecast',
      tool_name: 'forecast',
      method: null,
      host: '',
      state: 'published',
      trust: 'settled',
      check_due_at: null,
    })
    expect(listing.first_published_at).toBeInstanceOf(Date)
    expect(await world.versions()).toMatchObject([{ version: 1, cause: 'settlement' }])
    expect(onListed).toHaveBeenCalledTimes(1)
  })

  test('published, same owner, same declaration: recorded, counted, no version', async () => {
    await world.record()
    await world.afterCheck('published')
    const before = await world.listing()
    const settledAt = new Date(Date.now() + 60_000)
    const onListed = vi.fn()
    const outcome = await world.record({ settledAt }, { onListed })
    const after = await world.listing()
    expect(outcome).toMatchObject({
      status: 'success',
      code: 'recorded',
      listing_id: before.id,
      version: 1,
    })
    expect(after).toEqual({
      ...before,
      settlements: 2n,
      last_settled_at: settledAt,
      last_outcome: expect.objectContaining({ phase: 'settle', code: 'recorded' }),
    })
    expect(await world.versions()).toHaveLength(1)
    expect(await world.claims()).toEqual([])
    expect(onListed).not.toHaveBeenCalled()
  })

  test.each<[string, Settled, Settled]>([
    ['parameters in the path', onPath('Lima'), onPath('Quito')],
    [
      'keys of extensions',
      {},
      { declaration: { extensionKeys: ['bazaar', 'payment-identifier'] } },
    ],
    ['values in the query', {}, { declaration: { resource: { url: `${WEATHER}?city=Quito` } } }],
  ])('with other %s declares the same', async (_, first, second) => {
    await world.record(first)
    await world.afterCheck('published')
    expect(await world.record(second)).toMatchObject({ code: 'recorded' })
    expect(await world.claims()).toEqual([])
    expect((await world.listing()).check_due_at).toBeNull()
  })

  test.each<[string, Settled]>([
    ['option', changed],
    ['metadata', described('New words')],
    ['schema', described('', httpBazaar({ schema: { type: 'object' } }))],
  ])(
    'published, same owner, changed %s, HTTP: stays, a claim and an origin check',
    async (_, settled) => {
      await world.record()
      await world.afterCheck('published')
      const before = await world.listing()
      const onListed = vi.fn()
      const outcome = await world.record(settled, { onListed })
      const after = await world.listing()
      expect(outcome).toMatchObject({ status: 'success', code: 'recorded', version: 1 })
      expect(after).toMatchObject({ content: before.content, version: 1, settlements: 2n })
      expect(isDueNow(after.check_due_at)).toBe(true)
      expect(await world.claims()).toMatchObject([
        { listing_id: before.id, pay_to: SELLER, transaction: outcome.transaction },
      ])
      expect(await world.versions()).toHaveLength(1)
      expect(onListed).toHaveBeenCalledTimes(1)
    },
  )

  test('pending, same owner: counted, still awaiting_origin_verification', async () => {
    await world.record()
    expect(await world.record()).toMatchObject({
      status: 'processing',
      code: 'awaiting_origin_verification',
    })
    expect(await world.listing()).toMatchObject({ state: 'pending', settlements: 2n, version: 1 })
  })

  test('published, same owner, MCP: metadata and options are first-seen and never updated', async () => {
    await world.record(mcp)
    const before = await world.listing()
    const bazaar = mcpBazaar({ description: 'New words' })
    const outcome = await world.record({
      ...changed,
      declaration: { ...mcp.declaration, bazaar },
    })
    expect(outcome).toMatchObject({ status: 'success', code: 'recorded', version: 1 })
    expect(await world.listing()).toMatchObject({
      content: before.content,
      settlements: 2n,
      check_due_at: null,
    })
    expect(await world.claims()).toEqual([])
  })

  test('quarantined, any later settlement: a check with all its tries', async () => {
    await world.record()
    await world.afterCheck('quarantined')
    await world.db.updateTable('listings').set({ check_tries: 5 }).execute()
    expect(await world.record()).toMatchObject({
      status: 'processing',
      code: 'awaiting_origin_verification',
    })
    const listing = await world.listing()
    expect(listing).toMatchObject({ state: 'quarantined', settlements: 2n, check_tries: 0 })
    expect(isDueNow(listing.check_due_at)).toBe(true)
  })

  test('pending, unreachable, any later settlement: a check at once, not hours later', async () => {
    await world.record()
    const check_due_at = new Date(Date.now() + 12 * 3_600_000)
    const asked = { check_tries: 5, check_due_at, check_requested_at: null }
    await world.db.updateTable('listings').set(asked).execute()
    const onListed = vi.fn()
    expect(await world.record({}, { onListed })).toMatchObject({
      status: 'processing',
      code: 'awaiting_origin_verification',
    })
    const listing = await world.listing()
    expect(listing).toMatchObject({ state: 'pending', settlements: 2n, check_tries: 5 })
    expect(isDueNow(listing.check_due_at)).toBe(true)
    expect(onListed).toHaveBeenCalledTimes(1)
  })

  test('on another network: another listing of the same item', async () => {
    await world.record()
    await world.record({ network: 'stellar:pubnet', payTo: OTHER_PAYEE })
    const listings = await world.listings()
    expect(listings.map((listing) => listing.network).sort()).toEqual([
      'stellar:pubnet',
      'stellar:testnet',
    ])
    expect(new Set(listings.map((listing) => listing.item_key)).size).toBe(1)
  })

  test('names what was left out of its declaration', async () => {
    const resource = { url: 'https://api.example.com/weather', serviceName: 'x'.repeat(33) }
    expect(await world.record({ declaration: { resource } })).toMatchObject({
      code: 'awaiting_origin_verification',
      dropped: ['serviceName'],
    })
  })

  test('of an origin that does not answer leaves what the listing says of it', async () => {
    await world.record()
    await world.afterCheck('published')
    const unreachable = { phase: 'origin', status: 'processing', code: 'origin_unreachable' }
    await world.db
      .updateTable('listings')
      .set({ check_tries: 2, last_outcome: JSON.stringify(unreachable) })
      .execute()
    await world.record()
    expect(await world.listing()).toMatchObject({ settlements: 2n, last_outcome: unreachable })
  })
})

/** As a stock server fills the parameters of the path in for each request. */
function onPath(city: string): Settled {
  const bazaar = httpBazaar()
  const input = { ...bazaar.info.input, pathParams: { city } }
  const resource = { url: `${WEATHER}/${city}` }
  return {
    declaration: {
      resource,
      bazaar: { ...bazaar, info: { input }, routeTemplate: '/weather/:city' },
    },
  }
}
