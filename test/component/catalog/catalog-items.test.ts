import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { CatalogItems } from '../../../src/catalog/items/catalog-items.ts'
import type { Store } from '../../../src/platform/database/open.ts'
import { catalogItems } from '../../support/catalog-listing.ts'
import { openEmptyStore } from '../platform/database/open-stores.ts'
import { change, contentOf, insert } from './published-listings.ts'

let store: Store
let items: CatalogItems

beforeEach(async () => {
  store = await openEmptyStore()
  items = catalogItems(store.db)
})
afterEach(() => store.close())

test('what no reader of the published listings can notice leaves the array as it is', async () => {
  await insert(store, contentOf('weather'))
  const gone = await insert(store, contentOf('tides'))
  await change(store, gone, { state: 'quarantined' })
  await items.refresh()
  const { all, revision } = items

  await change(store, gone, { trust: 'origin_verified' })
  await insert(store, contentOf('maps'), { state: 'pending' })
  await items.refresh()

  expect(items.all).toBe(all)
  expect(items.revision).toBeGreaterThan(revision)
})

test('an item whose words are the same keeps the object that the index was built of', async () => {
  const content = contentOf('stars')
  const id = await insert(store, content)
  await items.refresh()
  const itemOf = () => items.all.find(({ text }) => text.name === 'stars')
  const before = itemOf()
  expect(before?.listings[0]?.options[0]?.symbol).toBeNull()

  const asset = content.accepts[0]?.asset
  await sql`insert into asset_facts (network, asset, symbol, decimals, checked_at, due_at)
    values ('stellar:testnet', ${asset}, 'USDC', 7, clock_timestamp(), clock_timestamp())`.execute(
    store.db,
  )
  await items.refreshAssets()

  expect(itemOf()?.listings[0]).toMatchObject({ id, options: [{ symbol: 'USDC', decimals: 7 }] })
  expect(itemOf()?.text).toBe(before?.text)
})
