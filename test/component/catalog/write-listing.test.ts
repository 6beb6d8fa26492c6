import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  countSettlement,
  lockListing,
  lockListingOf,
  requestCheck,
  requestCheckOfClaims,
} from '../../../src/catalog/store/listings.ts'
import { putClaim } from '../../../src/catalog/store/listings-claims.ts'
import {
  changeListing,
  insertListing,
  type ListingChange,
  type NewListing,
  setLastOutcome,
} from '../../../src/catalog/store/write-listing.ts'
import { inTransaction } from '../../../src/platform/database/in-transaction.ts'
import type { Store } from '../../../src/platform/database/open.ts'
import { openEmptyStore } from '../platform/database/open-stores.ts'

const network = 'stellar:testnet'
const option = {
  scheme: 'exact',
  network,
  asset: 'CASSET',
  payTo: 'GOWNER',
  amount: '100000',
} as const
const settledAt = new Date('2026-01-02T03:04:05.678Z')

const newListing = (overrides: Partial<NewListing> = {}): NewListing => ({
  network,
  itemKey: randomUUID(),
  host: 'api.example.com',
  domain: 'example.com',
  owner: 'GOWNER',
  ownerAccount: 'GOWNER',
  content: {
    resource: 'https://api.example.com/a',
    kind: 'http',
    method: 'GET',
    extensions: ['bazaar'],
    accepts: [option],
  },
  state: 'pending',
  transaction: 'a'.repeat(64),
  settledAt,
  outcome: {
    phase: 'settle',
    status: 'processing',
    code: 'awaiting_origin_verification',
    at: settledAt.toISOString(),
  },
  ...overrides,
})

describe('a listing in the store', () => {
  let store: Store
  beforeAll(async () => {
    store = await openEmptyStore()
  })
  afterAll(() => store.close())

  const insert = async (listing: NewListing = newListing()) => {
    const inserted = await inTransaction(store.db, (tx) => insertListing(tx, listing))
    if (!inserted) throw new Error('not inserted')
    return inserted
  }
  const change = (id: string, to: ListingChange) =>
    inTransaction(store.db, async (tx) => {
      const listing = await lockListing(tx, id)
      if (!listing) throw new Error('no such listing')
      return changeListing(tx, listing, to)
    })
  const read = (id: string) =>
    store.db.selectFrom('listings').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  const versions = (id: string) =>
    store.db
      .selectFrom('listing_versions')
      .selectAll()
      .where('listing_id', '=', id)
      .orderBy('version')
      .execute()
  const options = (id: string) =>
    store.db
      .selectFrom('listing_options')
      .selectAll()
      .where('listing_id', '=', id)
      .orderBy('place')
      .execute()

  test('starts as version 1 with one settlement, its options and a check that is due', async () => {
    const { id } = await insert()
    const row = await read(id)
    expect(row).toMatchObject({
      state: 'pending',
      trust: 'settled',
      version: 1,
      settlements: 1n,
      first_published_at: null,
      last_settled_at: settledAt,
      extensions: ['bazaar'],
      check_tries: 0,
    })
    expect(row.check_due_at?.getTime()).toBeLessThanOrEqual(Date.now() + 1_000)
    expect(await versions(id)).toMatchObject([
      { version: 1, cause: 'settlement', transaction: 'a'.repeat(64), owner: 'GOWNER' },
    ])
    expect(await options(id)).toMatchObject([
      { place: 0, asset: 'CASSET', pay_to: 'GOWNER', pay_to_account: 'GOWNER', amount: '100000' },
    ])
  })

  test('that starts as published has no check due', async () => {
    const { id } = await insert(newListing({ state: 'published' }))
    const row = await read(id)
    expect(row.check_due_at).toBeNull()
    expect(row.first_published_at).toBeInstanceOf(Date)
  })

  test('is inserted once for each network and item', async () => {
    const listing = newListing()
    const { id } = await insert(listing)
    expect(await inTransaction(store.db, (tx) => insertListing(tx, listing))).toBeUndefined()
    await insert({ ...listing, network: 'stellar:pubnet' })
    const found = await inTransaction(store.db, (tx) => lockListingOf(tx, network, listing.itemKey))
    expect(found?.id).toBe(id)
    expect(await versions(id)).toHaveLength(1)
  })

  test('is published, given a new owner and quarantined, each with a version and a higher revision', async () => {
    const { id, content } = await insert()
    const inserted = await read(id)
    const published = { state: 'published', trust: 'origin_verified' } as const
    expect(
      await change(id, { cause: 'origin_verification', ownerAccount: 'GOWNER', ...published }),
    ).toBe(2)
    const first = await read(id)
    const accepts = [
      { ...option, payTo: 'MOTHER', amount: '5' },
      { ...option, payTo: 'MOTHER', asset: 'CTWO' },
    ]
    const moved = { ...newListing().content, extensions: ['bazaar', 'other'], accepts }
    await change(id, {
      cause: 'ownership_transfer',
      transaction: 'b'.repeat(64),
      owner: 'MOTHER',
      ownerAccount: 'GOTHER',
      content: moved,
      outcome: { phase: 'origin', status: 'success', code: 'cataloged', at: 'now' },
    })
    const second = await read(id)
    await change(id, { cause: 'quarantine', state: 'quarantined', ownerAccount: 'GOTHER' })
    const third = await read(id)
    await change(id, { cause: 'origin_verification', ownerAccount: 'GOTHER', ...published })
    const fourth = await read(id)

    expect(first.first_published_at).toBeInstanceOf(Date)
    for (const later of [second, third, fourth]) {
      expect(later.first_published_at).toEqual(first.first_published_at)
    }
    const revisions = [inserted, first, second, third, fourth].map(({ revision }) => revision)
    expect(revisions).toEqual([...revisions].sort((a, b) => (a < b ? -1 : 1)))
    expect(new Set(revisions).size).toBe(5)
    expect(second).toMatchObject({
      owner: 'MOTHER',
      content: moved,
      extensions: ['bazaar', 'other'],
      last_outcome: { phase: 'origin', status: 'success', code: 'cataloged', at: 'now' },
    })
    expect(await options(id)).toMatchObject([
      { asset: 'CASSET', pay_to: 'MOTHER', pay_to_account: 'GOTHER', amount: '5' },
      { asset: 'CTWO', pay_to: 'MOTHER', pay_to_account: 'GOTHER', amount: '100000' },
    ])
    expect(await versions(id)).toMatchObject([
      { version: 1, cause: 'settlement', state: 'pending', trust: 'settled', content },
      { version: 2, cause: 'origin_verification', ...published, owner: 'GOWNER', content },
      {
        version: 3,
        cause: 'ownership_transfer',
        transaction: 'b'.repeat(64),
        owner: 'MOTHER',
        content: moved,
      },
      { version: 4, cause: 'quarantine', state: 'quarantined', owner: 'MOTHER', transaction: null },
      { version: 5, cause: 'origin_verification', ...published },
    ])
  })

  test('has a history that refuses to be rewritten', async () => {
    const { id } = await insert()
    const rewrite = store.db
      .updateTable('listing_versions')
      .set({ owner: 'GTHIEF' })
      .where('listing_id', '=', id)
      .execute()
    await expect(rewrite).rejects.toThrow('append-only')
  })

  test.each([
    { bound: '20 versions', bytes: 100, kept: 20 },
    { bound: '256 KiB of contents', bytes: 60_000, kept: 4 },
  ])('keeps its first version and the newest ones, up to $bound', async ({ bytes, kept }) => {
    const { id } = await insert()
    const content = { ...newListing().content, description: 'x'.repeat(bytes) }
    for (let n = 0; n < 25; n++) {
      await change(id, { cause: 'origin_verification', ownerAccount: 'GOWNER', content })
    }
    const newest = Array.from({ length: kept }, (_, at) => 26 - kept + 1 + at)
    expect((await versions(id)).map(({ version }) => version)).toEqual([1, ...newest])
    expect(await read(id)).toMatchObject({ version: 26 })
  })

  test('counts a settlement without a version or a revision', async () => {
    const { id } = await insert()
    const before = await read(id)
    const later = new Date(settledAt.getTime() + 60_000)
    await inTransaction(store.db, async (tx) => {
      await countSettlement(tx, id, later)
      await countSettlement(tx, id, settledAt)
      await setLastOutcome(tx, id, {
        phase: 'settle',
        status: 'success',
        code: 'recorded',
        at: 'now',
      })
    })
    const after = await read(id)
    expect(after).toMatchObject({
      settlements: 3n,
      last_settled_at: later,
      version: 1,
      revision: before.revision,
      updated_at: before.updated_at,
      last_outcome: { code: 'recorded' },
    })
  })

  test('gets a check at once, and further ones a minute after the last', async () => {
    const { id } = await insert(newListing({ state: 'published' }))
    const request = () => inTransaction(store.db, (tx) => requestCheck(tx, id))
    await request()
    const first = await read(id)
    expect(first.check_due_at).toEqual(first.check_requested_at)
    expect(first.check_due_at?.getTime()).toBeLessThanOrEqual(Date.now() + 1_000)

    await request()
    expect((await read(id)).check_due_at).toEqual(first.check_due_at)

    await store.db
      .updateTable('listings')
      .set({ check_due_at: null })
      .where('id', '=', id)
      .execute()
    await request()
    const second = await read(id)
    expect(second.check_due_at?.getTime()).toBe((first.check_due_at?.getTime() ?? 0) + 60_000)
  })

  test('gets a check before its next try, with all its tries again when it is quarantined', async () => {
    const { id } = await insert()
    const inHours = new Date(Date.now() + 12 * 3_600_000)
    await store.db
      .updateTable('listings')
      .set({ check_due_at: inHours, check_requested_at: null, check_tries: 4 })
      .where('id', '=', id)
      .execute()
    await inTransaction(store.db, (tx) => requestCheck(tx, id))
    const pending = await read(id)
    expect(pending.check_due_at?.getTime()).toBeLessThanOrEqual(Date.now() + 1_000)
    expect(pending.check_tries).toBe(4)

    await change(id, { cause: 'quarantine', state: 'quarantined', ownerAccount: 'GOWNER' })
    await inTransaction(store.db, (tx) => requestCheck(tx, id))
    expect((await read(id)).check_tries).toBe(0)
  })

  test('gets a check when its next claim is due, and earlier ones as before', async () => {
    const { id } = await insert()
    const inHours = new Date(Date.now() + 12 * 3_600_000)
    const row = () => read(id)
    const forClaims = () => inTransaction(store.db, (tx) => requestCheckOfClaims(tx, id))
    const forget = { check_due_at: null, check_requested_at: null }
    await store.db.updateTable('listings').set(forget).where('id', '=', id).execute()
    await forClaims()
    expect(await row()).toMatchObject(forget)

    const claim = { listingId: id, payer: 'GPAYER', payTo: 'GPAYEE', settledAt, content: {} }
    await inTransaction(store.db, (tx) => putClaim(tx, { ...claim, transaction: 'hash' }))
    await store.db.updateTable('listing_claims').set({ due_at: inHours }).execute()
    await forClaims()
    expect(await row()).toMatchObject({ check_due_at: inHours, check_requested_at: null })

    await inTransaction(store.db, (tx) => requestCheck(tx, id))
    const { check_due_at: first } = await row()
    expect(first?.getTime()).toBeLessThanOrEqual(Date.now() + 1_000)

    await store.db
      .updateTable('listing_claims')
      .set({ due_at: new Date(0) })
      .execute()
    await store.db
      .updateTable('listings')
      .set({ check_due_at: null })
      .where('id', '=', id)
      .execute()
    await forClaims()
    const { check_due_at: second, check_requested_at } = await row()
    expect(second?.getTime()).toBe((first?.getTime() ?? 0) + 60_000)
    expect(check_requested_at).toEqual(second)
  })
})
