import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import type { RegistryOptions } from '../../../../src/explorer/registry/registry-options.ts'
import { muxed } from '../../../support/payments.ts'
import { address, httpContent, optionTo, seedVerified } from '../../catalog/seed-listings.ts'
import {
  network,
  openRegistryWorld,
  patience,
  type RegistryWorld,
  supportedOf,
} from './registry-world.ts'

describe('the catalogs of other facilitators', () => {
  let world: RegistryWorld
  beforeAll(async () => {
    world = await openRegistryWorld()
  })
  afterAll(() => world[Symbol.asyncDispose]())
  afterEach(() => world.empty())

  const item = (payTo: string, changes: object = {}) => ({
    resource: `https://seller.example/${payTo}`,
    type: 'http',
    x402Version: 2,
    accepts: [optionTo(payTo)],
    serviceName: 'Theirs',
    description: 'Weather',
    ...changes,
  })
  const open = async (items: readonly unknown[] | undefined) => {
    const facilitator = await world.openFacilitator(supportedOf([]))
    facilitator.items = items
    return facilitator
  }
  const announced = (id: string, baseUrl: string, changes: object = {}) =>
    world.store.db
      .insertInto('explorer_facilitators')
      .values({ id, base_url: baseUrl, source: 'announced', ...changes })
      .execute()
  const seller = (payTo: string) =>
    world.store.db
      .selectFrom('explorer_sellers')
      .selectAll()
      .where('address', '=', payTo)
      .executeTakeFirst()
  /** As a payment leaves the figures that a proven signer of a facilitator submitted. */
  const paidThrough = (facilitator: string | null, payTo: string) =>
    sql`with payee as (insert into explorer_addresses (address) values (${payTo}) returning id),
      epoch as (insert into explorer_epochs (network, started_at) values (${network}, clock_timestamp()) returning id),
      asset as (insert into explorer_assets (network, contract) values (${network}, ${payTo}) returning id),
      kind as (insert into explorer_kinds (network, epoch, scheme, confidence, facilitator, asset)
        select ${network}, epoch.id, 'exact', 'verified-facilitator', ${facilitator}, asset.id from epoch, asset
        returning id)
      insert into explorer_seller_kinds (seller, kind, payments)
      select payee.id, kind.id, 1 from payee, kind`.execute(world.store.db)
  const untilSeller = (payTo: string, expected: object) =>
    vi.waitFor(async () => expect(await seller(payTo)).toMatchObject(expected), patience)
  /** Makes checks due until the seller is gone: a check that was under way ends with a later time of its own. */
  const untilGone = (payTo: string) =>
    vi.waitFor(async () => {
      await world.makeDue()
      expect(await seller(payTo)).toBeUndefined()
    }, patience)
  const pages = (requests: readonly string[]) =>
    requests.filter((url) => url.startsWith('/discovery/resources'))

  test('register payees, are read in 15 minutes again, and a muxed payee is its account', async () => {
    const [payTo, account] = [address(), address()]
    const other = await open([item(payTo), item(muxed(account, 7n))])
    await using _registry = world.start({ configured: [other.baseUrl] })
    await untilSeller(payTo, {
      network,
      registered: true,
      service_name: 'Theirs',
      resource: `https://seller.example/${payTo}`,
      description: 'Weather',
      payments: 0n,
    })
    await untilSeller(account, { registered: true })
    expect(pages(other.requests)).toEqual(['/discovery/resources?limit=100&offset=0'])
    // Written after the registrations.
    await vi.waitFor(async () => {
      const row = await world.facilitator('127.0.0.1')
      expect(Math.round((Number(row?.catalog_due_at) - Date.now()) / 60_000)).toBe(15)
    }, patience)
  })

  test('are read page by page to their end', async () => {
    const payees = Array.from({ length: 230 }, address)
    const other = await open(payees.map((payTo) => item(payTo)))
    await using _registry = world.start({ configured: [other.baseUrl] })
    await untilSeller(payees[229] ?? '', { registered: true })
    expect(pages(other.requests)).toEqual(
      [0, 100, 200].map((offset) => `/discovery/resources?limit=100&offset=${offset}`),
    )
  })

  test('whose pages are too large are read in smaller ones', async () => {
    const payees = Array.from({ length: 60 }, address)
    const blob = 'x'.repeat(30_000)
    const other = await open(payees.map((payTo) => item(payTo, { extensions: { blob } })))
    await using _registry = world.start({ configured: [other.baseUrl] })
    await untilSeller(payees[59] ?? '', { registered: true })
    expect(pages(other.requests)[1]).toBe('/discovery/resources?limit=25&offset=0')
  })

  test('lose what they no longer name, and keep all while they fail', async () => {
    const [stays, leaves] = [address(), address()]
    const other = await open([item(stays), item(leaves)])
    await using _registry = world.start({ configured: [other.baseUrl] })
    await untilSeller(leaves, { registered: true })
    const asked = () => pages(other.requests).length
    const before = asked()
    other.items = 'broken'
    // A read that is under way sets the next time itself.
    await vi.waitFor(async () => {
      await world.makeDue()
      expect(asked()).toBeGreaterThan(before)
    }, patience)
    expect(await seller(leaves)).toMatchObject({ registered: true })
    other.items = [item(stays)]
    await untilGone(leaves)
    expect(await seller(stays)).toMatchObject({ registered: true })
  })

  test('that take long to read delay no other one', async () => {
    const payTo = address()
    const slow = [await open([]), await open([]), await open([])]
    const fast = await open([item(payTo)])
    await paidThrough('facilitator-3', payTo)
    for (const [index, { baseUrl }] of [...slow, fast].entries()) {
      const last_seen_at = new Date()
      const due = { last_seen_at, catalog_due_at: new Date(index) }
      await announced(`facilitator-${index}`, baseUrl, due)
    }
    const isRead = Promise.withResolvers<void>()
    const catalog: RegistryOptions['fetchers']['catalog'] = {
      fetch: async (url, init) => {
        if (slow.some(({ baseUrl }) => url.href.startsWith(baseUrl))) await isRead.promise
        return world.fetchers.catalog.fetch(url, init)
      },
    }
    await using _registry = world.start({ fetchers: { ...world.fetchers, catalog } })
    await untilSeller(payTo, { registered: true }).finally(isRead.resolve)
    await vi.waitFor(() => {
      for (const { requests } of slow) expect(pages(requests)).toHaveLength(1)
    }, patience)
  })

  test('that do not exist register nobody', async () => {
    const other = await open(undefined)
    await using _registry = world.start({ configured: [other.baseUrl] })
    await vi.waitFor(() => expect(pages(other.requests)).toHaveLength(1), patience)
    expect(await world.store.db.selectFrom('explorer_sellers').selectAll().execute()).toEqual([])
  })

  test('of a facilitator that was never verified are not read', async () => {
    const other = await open([item(address())])
    other.supported = 500
    await using _registry = world.start({ configured: [other.baseUrl] })
    await vi.waitFor(
      async () =>
        expect(await world.facilitator('127.0.0.1')).toMatchObject({
          last_error: expect.any(String),
        }),
      patience,
    )
    await world.makeDue()
    await vi.waitFor(() => expect(other.requests.length).toBeGreaterThan(1), patience)
    expect(pages(other.requests)).toEqual([])
  })

  test('yield to our own, and an announced one yields to a configured one', async () => {
    const [ours, theirs] = [address(), address()]
    const items = (serviceName: string) => [
      item(ours, { serviceName }),
      item(theirs, { serviceName }),
    ]
    const [announcedOne, configuredOne] = [
      await open(items('Announced')),
      await open(items('Configured')),
    ]
    await paidThrough('announced', theirs)
    await announced('announced', announcedOne.baseUrl, { created_at: new Date(0) })
    await using registry = world.start()
    await untilSeller(theirs, { service_name: 'Announced' })
    await seedVerified(world.store, {
      owner: ours,
      content: httpContent('https://a.example/ours', ours, { serviceName: 'Ours' }),
    })
    await untilSeller(ours, { service_name: 'Ours' })
    await registry[Symbol.asyncDispose]()
    await using _both = world.start({ configured: [configuredOne.baseUrl] })
    await untilSeller(theirs, { service_name: 'Configured' })
    expect(await seller(ours)).toMatchObject({ service_name: 'Ours' })
    // Without its better names, a seller keeps the one that is left.
    configuredOne.items = []
    // A read that is under way sets the next time itself.
    await vi.waitFor(async () => {
      await world.makeDue()
      expect(await seller(theirs)).toMatchObject({ service_name: 'Announced', registered: true })
    }, patience)
  })

  test('of announced facilitators name only addresses that were paid through them', async () => {
    const [paid, unpaid, paidElsewhere] = [address(), address(), address()]
    await paidThrough('announced', paid)
    await paidThrough('another', paidElsewhere)
    const other = await open([item(unpaid), item(paidElsewhere), item(paid)])
    await announced('announced', other.baseUrl)
    await using registry = world.start()
    await untilSeller(paid, { registered: true })
    expect(await seller(unpaid)).toBeUndefined()
    expect(await seller(paidElsewhere)).toBeUndefined()
    await registry[Symbol.asyncDispose]()
    await using _configured = world.start({ configured: [other.baseUrl] })
    await vi.waitFor(async () => {
      await world.makeDue()
      expect(await seller(unpaid)).toMatchObject({ registered: true })
      expect(await seller(paidElsewhere)).toMatchObject({ registered: true })
    }, patience)
  })

  test('of an older announced facilitator yield to those of the one that was paid through', async () => {
    const payTo = address()
    const [older, younger] = [
      await open([item(payTo, { serviceName: 'Older' })]),
      await open([item(payTo, { serviceName: 'Younger' })]),
    ]
    await paidThrough('younger', payTo)
    await announced('older', older.baseUrl, { created_at: new Date(0) })
    await announced('younger', younger.baseUrl)
    await using _registry = world.start()
    const registrations = () =>
      world.store.db.selectFrom('explorer_registrations').select('source').execute()
    await vi.waitFor(async () => expect(await registrations()).toHaveLength(2), patience)
    expect(await seller(payTo)).toMatchObject({ service_name: 'Younger' })
  })

  test('of an announced facilitator name nobody once no payment is attributed to it, though they fail', async () => {
    const payTo = address()
    const other = await open([item(payTo)])
    await paidThrough('announced', payTo)
    await announced('announced', other.baseUrl)
    await using _registry = world.start()
    await untilSeller(payTo, { registered: true })
    await world.store.db.deleteFrom('explorer_seller_kinds').execute()
    other.items = 'broken'
    await untilGone(payTo)
  })

  test('of announced facilitators register at most 1,000 payees', async () => {
    const accounts = await Promise.all(Array.from({ length: 1_010 }, address))
    const other = await open(accounts.map((payTo) => item(payTo)))
    await announced('announced', other.baseUrl)
    await using _registry = world.start()
    const registered = () =>
      world.store.db.selectFrom('explorer_registrations').select('pay_to').execute()
    await vi.waitFor(async () => expect(await registered()).toHaveLength(1_000), patience)
    expect(pages(other.requests)).toHaveLength(10)
  })

  test('of a facilitator that has left the registry register nobody any more', async () => {
    const payTo = address()
    const [leaving, staying] = [await open([item(payTo)]), await open([])]
    await paidThrough('leaving', payTo)
    await announced('leaving', leaving.baseUrl)
    await announced('staying', staying.baseUrl)
    await using _registry = world.start()
    await untilSeller(payTo, { registered: true })
    await world.store.db.deleteFrom('explorer_facilitators').where('id', '=', 'leaving').execute()
    await untilGone(payTo)
  })
})
