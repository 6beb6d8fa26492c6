import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { explainSubject } from '../../../src/catalog/discovery/explain.ts'
import { writeOutcome } from '../../../src/catalog/store/outcomes.ts'
import { claimWithChannel } from '../../../src/payments/store/settlements/claim/claim-with-channel.ts'
import type { Store } from '../../../src/platform/database/open.ts'
import { accounts, content, option, putListing } from '../../support/catalog-listing.ts'
import { claimRequest, keyOf } from '../payments/store/builders.ts'
import { openEmptyStore } from '../platform/database/open-stores.ts'

const opened = new AsyncDisposableStack()
let store: Store
beforeAll(async () => {
  store = opened.use(await openEmptyStore())
})
afterAll(() => opened.disposeAsync())

const hash = (digit: string) => digit.repeat(64)
let settlements = 0n

const outcome = (resource: string | undefined, more: object = {}) =>
  writeOutcome(store.db, 'test', {
    settlementId: ++settlements,
    ...{ key: keyOf(`${settlements}`), payTo: accounts.first, transaction: hash('b') },
    ...{ status: 'rejected', code: 'bazaar_info_invalid', reason: 'info is wrong', dropped: [] },
    ...(resource !== undefined && { resource }),
    ...more,
  })

describe('explaining a listing', () => {
  it('shows its state, last outcome, next check and pending claims', async () => {
    const checkDueAt = new Date('2026-11-22T01:00:00Z')
    const lastOutcome = { phase: 'origin', status: 'rejected', code: 'bazaar_owner_conflict' }
    const id = await putListing(store.db, {
      content: content('https://shop.example/claimed'),
      ...{ state: 'quarantined', checkDueAt, lastOutcome },
    })
    await store.db
      .insertInto('listing_claims')
      .values({
        ...{ listing_id: id, payer: accounts.first, pay_to: accounts.second },
        ...{ transaction: hash('c'), content: '{}' },
        settled_at: new Date('2026-11-22T00:00:00Z'),
      })
      .execute()
    await outcome('https://shop.example/claimed', { listingId: id, version: 1 })
    await outcome('https://shop.example/other')
    const explained = await explainSubject(store.db, id.toUpperCase())
    expect(explained).toMatchObject({
      listings: [
        {
          ...{ id, state: 'quarantined', lastOutcome, nextCheckAt: checkDueAt, checkTries: 0 },
          claims: [
            {
              ...{ payTo: accounts.second, transaction: hash('c') },
              settledAt: '2026-11-22T00:00:00.000Z',
            },
          ],
        },
      ],
      outcomes: [{ code: 'bazaar_info_invalid', reason: 'info is wrong', listingId: id }],
      waiting: [],
    })
  })

  it('finds nothing for an unknown id', async () => {
    const unknown = '00000000-0000-4000-8000-000000000000'
    expect(await explainSubject(store.db, unknown)).toEqual({
      ...{ listings: [], outcomes: [], waiting: [] },
    })
  })
})

describe('explaining a URL', () => {
  const template = 'https://shop.example:8443/items/:id/parts'
  const ids: string[] = []
  beforeAll(async () => {
    ids.push(
      await putListing(store.db, { content: content(template) }),
      await putListing(store.db, {
        content: content(template, { accepts: [option({ network: 'stellar:pubnet' })] }),
      }),
    )
  })

  test.each([
    template,
    'https://shop.example:8443/items/7/parts',
    'https://SHOP.example:8443/items/7/parts?color=red#top',
  ])('finds its listings on all networks: %s', async (url) => {
    const explained = await explainSubject(store.db, url)
    expect(explained?.listings.map(({ id }) => id)).toEqual(ids)
  })

  test.each([
    'https://shop.example/items/7/parts',
    'https://shop.example:8443/items/7',
    'https://shop.example:8443/things/7/parts',
    'https://shop.example:8443/items/7/parts/8',
  ])('finds no listing of another one: %s', async (url) => {
    expect((await explainSubject(store.db, url))?.listings).toEqual([])
  })

  it('shows why what it declared was refused, also with a query', async () => {
    const url = 'https://refused.example/a?key=1'
    await outcome(url, { code: 'bazaar_schema_invalid' })
    await outcome('https://refused.example/a', { status: 'success', code: 'recorded' })
    const explained = await explainSubject(store.db, url)
    expect(explained?.outcomes.map(({ code }) => code)).toEqual([
      'recorded',
      'bazaar_schema_invalid',
    ])
  })

  it('shows declarations that no process has recorded yet', async () => {
    const url = 'https://waiting.example/a'
    const { facts, ...request } = claimRequest('waiting')
    await claimWithChannel(store.db, { ...request, facts: { ...facts, resourceUrl: url } })
    const { id } = await store.db
      .selectFrom('settlements')
      .select('id')
      .where('nonce', '=', 'waiting')
      .executeTakeFirstOrThrow()
    const settledAt = new Date('2026-11-22T00:00:00Z')
    await store.db
      .insertInto('catalog_outbox')
      .values({
        ...{ settlement_id: id, ...keyOf('waiting'), pay_to: accounts.first, scheme: 'exact' },
        ...{ asset: 'CASSET', amount: 1n, transaction: hash('d'), body: '{}' },
        ...{ settled_at: settledAt, due_at: settledAt },
      })
      .execute()
    const explained = await explainSubject(store.db, url)
    expect(explained?.waiting).toMatchObject([{ transaction: hash('d'), settledAt, tries: 0 }])
  })

  it('is undefined for what is neither a URL nor an id', async () => {
    expect(await explainSubject(store.db, 'weather')).toBeUndefined()
  })
})
