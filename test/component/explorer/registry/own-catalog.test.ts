import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { lockListing } from '../../../../src/catalog/store/listings.ts'
import { changeListing, type ListingChange } from '../../../../src/catalog/store/write-listing.ts'
import { writeLedgers } from '../../../../src/explorer/store/ingest/write-ledgers.ts'
import { registerOwnListings } from '../../../../src/explorer/store/registry/registrations-own.ts'
import { inTransaction } from '../../../../src/platform/database/in-transaction.ts'
import { paymentRow } from '../../../support/explorer/payment-rows.ts'
import { untilLockWaits } from '../../../support/lock-waits.ts'
import {
  address,
  httpContent,
  optionTo,
  seedListing,
  seedVerified,
} from '../../catalog/seed-listings.ts'
import { network, openRegistryWorld, patience, type RegistryWorld } from './registry-world.ts'

describe('our own catalog in the directory of sellers', () => {
  let world: RegistryWorld
  beforeAll(async () => {
    world = await openRegistryWorld()
    await world.store.db
      .insertInto('explorer_epochs')
      .values({ network, started_at: new Date() })
      .execute()
  })
  afterAll(() => world[Symbol.asyncDispose]())
  afterEach(() => world.empty())

  const change = (id: string, to: ListingChange) =>
    inTransaction(world.store.db, async (transaction) => {
      const listing = await lockListing(transaction, id)
      if (listing) await changeListing(transaction, listing, to)
    })
  const published = (resource: string, payTo: string, changes: object = {}) =>
    seedVerified(world.store, {
      owner: payTo,
      content: httpContent(resource, payTo, { serviceName: 'Weather', ...changes }),
    })
  /** Words that only a payer stated. */
  const publishedTool = (resource: string, payTo: string) => {
    const { method: _, ...content } = httpContent(resource, payTo, { serviceName: 'Hostile' })
    return seedListing(world.store, {
      owner: payTo,
      content: { ...content, kind: 'mcp', toolName: 'any' },
      state: 'published',
    })
  }
  const seller = async (payTo: string) =>
    world.store.db
      .selectFrom('explorer_sellers')
      .selectAll()
      .where('address', '=', payTo)
      .executeTakeFirst()
  const untilSeller = (payTo: string, expected: object) =>
    vi.waitFor(async () => expect(await seller(payTo)).toMatchObject(expected), patience)
  const pay = async (payTo: string, name: string = payTo) => {
    const { id } = await world.store.db
      .selectFrom('explorer_epochs')
      .select('id')
      .executeTakeFirstOrThrow()
    await inTransaction(world.store.db, (transaction) =>
      writeLedgers(transaction, { network, id }, [paymentRow(name, { seller: payTo })]),
    )
  }

  test('registers a payee before its first payment, with name, resource and description', async () => {
    const payTo = address()
    await published('https://a.example/weather', payTo, { description: 'x'.repeat(600) })
    const onChanged = vi.fn()
    await using _registry = world.start({ onChanged })
    await untilSeller(payTo, {
      network,
      registered: true,
      service_name: 'Weather',
      resource: 'https://a.example/weather',
      description: 'x'.repeat(500),
      payments: 0n,
      buyers: 0,
      first_at: null,
    })
    expect(onChanged).toHaveBeenCalled()
  })

  test('names a seller that was paid, and its figures stay, before and after', async () => {
    const payTo = address()
    await pay(payTo)
    await using registry = world.start()
    await untilSeller(payTo, { registered: false, payments: 1n })
    const { id } = await published('https://a.example/paid', payTo)
    registry.wake()
    await untilSeller(payTo, { registered: true, service_name: 'Weather', payments: 1n, buyers: 1 })
    await pay(payTo, `second ${payTo}`)
    await change(id, { cause: 'quarantine', state: 'quarantined', ownerAccount: payTo })
    await untilSeller(payTo, {
      registered: false,
      service_name: null,
      resource: null,
      description: null,
      payments: 2n,
      buyers: 1,
    })
  })

  test('registers a payee in the very first round, before anything else of the registry has run', async () => {
    const payTo = address()
    await published('https://a.example/first', payTo)
    await registerOwnListings(world.store.db, 0n)
    expect(await seller(payTo)).toMatchObject({ registered: true, service_name: 'Weather' })
  })

  test('takes a seller without payments out again that is no longer published', async () => {
    const payTo = address()
    const { id } = await published('https://a.example/gone', payTo)
    await using _registry = world.start()
    await untilSeller(payTo, { registered: true })
    await change(id, { cause: 'quarantine', state: 'quarantined', ownerAccount: payTo })
    await vi.waitFor(async () => expect(await seller(payTo)).toBeUndefined(), patience)
    // It may be paid after all.
    await pay(payTo)
    expect(await seller(payTo)).toMatchObject({ registered: false, payments: 1n })
  })

  test('follows a listing to another payee', async () => {
    const [before, after] = [address(), address()]
    const { id } = await published('https://a.example/moved', before)
    await using _registry = world.start()
    await untilSeller(before, { registered: true })
    await change(id, {
      cause: 'ownership_transfer',
      owner: after,
      ownerAccount: after,
      content: httpContent('https://a.example/moved', after, { serviceName: 'Moved' }),
    })
    await untilSeller(after, { registered: true, service_name: 'Moved' })
    await vi.waitFor(async () => expect(await seller(before)).toBeUndefined(), patience)
  })

  test('leaves out what is not published, and registers a payee on the network of its option', async () => {
    const [pending, payTo] = [address(), address()]
    await seedListing(world.store, {
      owner: pending,
      content: httpContent('https://a.example/pending', pending),
    })
    await published('https://a.example/there', payTo, {
      accepts: [optionTo(payTo), { ...optionTo(payTo), network: 'stellar:pubnet' }],
    })
    await using _registry = world.start()
    await untilSeller(payTo, { registered: true })
    const { rows } = await sql`select network from explorer_sellers where address = ${payTo}
      order by network`.execute(world.store.db)
    expect(rows).toEqual([{ network: 'stellar:pubnet' }, { network: 'stellar:testnet' }])
    expect(await seller(pending)).toBeUndefined()
  })

  /** A domain that claims the payee, and perhaps is the one that its account names on the ledger. */
  const claimed = async (resource: string, payTo: string, isNamedByOwner: boolean) => {
    const {
      id,
      host,
      network: on,
      owner,
    } = await published(resource, payTo, { serviceName: resource })
    await change(id, {
      cause: 'domain_verification',
      trust: 'domain_verified',
      ownerAccount: payTo,
    })
    await world.store.db
      .insertInto('domain_claims')
      .values({
        ...{ host, network: on, owner },
        claims_owner: true,
        is_named_by_owner: isNamedByOwner,
        due_at: new Date(),
      })
      .execute()
  }

  test('gives a payee the words of the domain that its account names, whoever listed it before', async () => {
    const payTo = address()
    await published('https://stranger.example/1', payTo, { serviceName: 'Stranger' })
    await claimed('https://hostile.example/2', payTo, false)
    await registerOwnListings(world.store.db, 0n)
    expect(await seller(payTo)).toMatchObject({ service_name: 'Stranger' })
    await claimed('https://own.example/3', payTo, true)
    await registerOwnListings(world.store.db, 0n)
    expect(await seller(payTo)).toMatchObject({ service_name: 'https://own.example/3' })
  })

  test('takes no words from a listing that is left out', async () => {
    const payTo = address()
    const { id } = await published('https://a.example/hidden', payTo)
    await world.store.db
      .updateTable('listings')
      .set({ left_out: 'hidden' })
      .where('id', '=', id)
      .execute()
    await registerOwnListings(world.store.db, 0n)
    expect(await seller(payTo)).toBeUndefined()
  })

  test('gives a payee without such a proof the words of its oldest listing, however often another one is paid', async () => {
    const payTo = address()
    await published('https://a.example/1', payTo, { serviceName: 'Oldest' })
    const busy = await published('https://a.example/2', payTo, { serviceName: 'Busy' })
    await world.store.db
      .updateTable('listings')
      .set({ settlements: 5n })
      .where('id', '=', busy.id)
      .execute()
    await registerOwnListings(world.store.db, 0n)
    expect(await seller(payTo)).toMatchObject({
      service_name: 'Oldest',
      resource: 'https://a.example/1',
    })
  })

  test('takes no words from a tool that only a payer described', async () => {
    const [named, unnamed] = [address(), address()]
    await publishedTool('https://hostile.example/mcp', named)
    await published('https://a.example/weather', named)
    const { id } = await publishedTool('https://hostile.example/other', unnamed)
    await registerOwnListings(world.store.db, 0n)
    expect(await seller(named)).toMatchObject({ service_name: 'Weather' })
    expect(await seller(unnamed)).toBeUndefined()
    await change(id, {
      cause: 'domain_verification',
      trust: 'domain_verified',
      ownerAccount: unnamed,
    })
    await registerOwnListings(world.store.db, 0n)
    expect(await seller(unnamed)).toBeUndefined()
  })

  test('is written once by several processes, and not again while nothing changes', async () => {
    const payees = Array.from({ length: 30 }, address)
    for (const payTo of payees) await published(`https://a.example/${payTo}`, payTo)
    await using _one = world.start()
    await using _two = world.start()
    for (const payTo of payees) await untilSeller(payTo, { registered: true })
    const versions = async () =>
      (
        await sql`select xmin::text, address from explorer_sellers order by address`.execute(
          world.store.db,
        )
      ).rows
    const before = await versions()
    const last = address()
    await published('https://a.example/last', last)
    await untilSeller(last, { registered: true })
    expect(await versions()).toEqual(expect.arrayContaining(before))
  })

  test('gives way to an ingest that has its sellers locked, and registers them afterwards', async () => {
    const payTo = address()
    await pay(payTo)
    await using registry = world.start()
    await world.store.db.transaction().execute(async (ingest) => {
      await sql`update explorer_sellers set payments = payments + 1 where address = ${payTo}`.execute(
        ingest,
      )
      await published('https://a.example/locked', payTo)
      registry.wake()
      // The registry has given up its locks when another transaction can have them.
      await untilLockWaits(ingest, 1)
      await untilLockWaits(ingest, 0)
    })
    await untilSeller(payTo, { registered: true, payments: 2n })
  })
})
