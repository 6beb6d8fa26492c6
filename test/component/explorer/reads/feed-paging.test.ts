import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { openReads } from '../../../../src/explorer/open-reads.ts'
import type { ExplorerReads, FeedFilters } from '../../../../src/explorer/reads.ts'
import { compareInFeed } from '../../../../src/explorer/store/feed/read-feed-rows.ts'
import { positionOf } from '../../../../src/explorer/store/ingest/position.ts'
import { systemClock } from '../../../../src/platform/core/time/clock.ts'
import type { Store } from '../../../../src/platform/database/open.ts'
import { paymentRow } from '../../../support/explorer/payment-rows.ts'
import { openEmptyStore } from '../../platform/database/open-stores.ts'
import {
  addressOf,
  assets,
  type MadePayment,
  makePayment,
  networks,
  people,
  prepareRegistry,
  schemes,
  writePayments,
} from './feed-data.ts'

const payments = Array.from({ length: 160 }, (_, number) => makePayment(number))

const values: Readonly<Record<keyof FeedFilters, readonly string[]>> = {
  network: networks,
  asset: assets,
  scheme: schemes,
  seller: [people.sellers[0] ?? '', people.sellers[2] ?? ''],
  buyer: [people.buyers[0] ?? '', people.buyers[2] ?? ''],
  facilitator: ['svc', 'other'],
  confidence: ['svc', 'x402-shaped'],
}

const filteredOf = ({
  network,
  row,
  facilitator,
  confidence,
}: MadePayment): Record<string, unknown> => ({
  network,
  asset: row.asset,
  scheme: row.scheme,
  seller: row.seller,
  buyer: row.buyer,
  facilitator,
  confidence,
})

/** Hashes of what a feed with these filters has, in its order: by a plain filter and sort. */
const expected = (filters: FeedFilters, of: readonly MadePayment[] = payments): string[] =>
  of
    .filter((payment) =>
      Object.entries(filters).every(([name, value]) => filteredOf(payment)[name] === value),
    )
    .map(({ row }) => ({
      position: positionOf(row.closedAt, row.txHash),
      txHash: row.txHash,
      opIndex: 0,
    }))
    .sort(compareInFeed)
    .map(({ txHash }) => txHash)

const singles = Object.entries(values).flatMap(([name, some]) =>
  some.map((value) => ({ [name]: value }) as FeedFilters),
)
const pairs = singles.flatMap((one) =>
  singles
    .filter((two) => String(Object.keys(one)) < String(Object.keys(two)))
    .map((two) => ({ ...one, ...two })),
)

let store: Store
let reads: ExplorerReads
let epochs: Awaited<ReturnType<typeof prepareRegistry>>
beforeAll(async () => {
  store = await openEmptyStore()
  epochs = await prepareRegistry(store.db)
  await writePayments(store.db, epochs, payments)
  reads = openReads({ db: store.db, clock: systemClock, networks, watchedAssets: {} })
})
afterAll(() => store.close())

/** Hashes of all pages. @param between what happens before each next page */
async function pageThrough(
  filters: FeedFilters,
  limit: number,
  between: () => Promise<void> = async () => {},
): Promise<string[]> {
  const hashes: string[] = []
  let cursor: string | undefined
  do {
    const page = await reads.feed(filters, { limit, ...(cursor !== undefined && { cursor }) })
    if (page.nextCursor !== undefined) expect(page.items).toHaveLength(limit)
    hashes.push(...page.items.map(({ txHash }) => txHash))
    cursor = page.nextCursor
    if (cursor !== undefined) await between()
  } while (cursor !== undefined)
  return hashes
}

describe('the pages of the feed', () => {
  it('give each payment once and in order, without filters', async () => {
    expect(await pageThrough({}, 7)).toEqual(expected({}))
  })

  test.each([
    { name: 'each filter alone', filters: singles, limit: 11 },
    { name: 'every pair of filters', filters: pairs, limit: 9 },
  ])('give each payment once and in order, with $name', async ({ filters, limit }) => {
    const found = await Promise.all(filters.map((filter) => pageThrough(filter, limit)))
    expect(found).toEqual(filters.map((filter) => expected(filter)))
    expect(found.filter((hashes) => hashes.length > limit).length).toBeGreaterThan(10)
  })

  it('give each payment once and in order, with all filters', async () => {
    const [some] = payments
    if (!some) throw new Error('there is no payment')
    const filters = Object.fromEntries(
      Object.entries(filteredOf(some)).filter(([, value]) => value !== null),
    ) as FeedFilters
    const hashes = await pageThrough(filters, 1)
    expect(hashes).toContain(some.row.txHash)
    expect(hashes).toEqual(expected(filters))
  })

  test.each<{ what: string; filters: FeedFilters }>([
    { what: 'a seller', filters: { seller: addressOf('G', 'unknown') } },
    { what: 'a buyer', filters: { buyer: addressOf('G', 'unknown') } },
    { what: 'an asset', filters: { asset: addressOf('C', 'unknown') } },
    { what: 'a facilitator', filters: { facilitator: 'unknown' } },
  ])('are one empty page for $what that nobody knows', async ({ filters }) => {
    expect(await reads.feed(filters, { limit: 5 })).toEqual({ items: [] })
  })

  test.each<{ filters: FeedFilters }>([{ filters: {} }, { filters: { scheme: 'exact' } }])(
    'give each payment once and in order while others are written, with $filters',
    async ({ filters }) => {
      const before = payments.filter(({ row }) => expected(filters).includes(row.txHash))
      let written = 0
      const hashes = await pageThrough(filters, 13, async () => {
        written += 1
        const shift = written % 2 === 0 ? 3_000_000 : -3_000_000
        await writePayments(store.db, epochs, [
          makePayment(written, shift + Object.keys(filters).length),
        ])
      })
      expect(hashes).toEqual([...new Set(hashes)])
      const known = new Set(before.map(({ row }) => row.txHash))
      expect(hashes.filter((hash) => known.has(hash))).toEqual(expected(filters))
      expect(written).toBeGreaterThan(3)
    },
  )

  it('give each payment once and in order when hundreds of kinds match', async () => {
    const seller = addressOf('G', 'rich')
    const rows = Array.from({ length: 600 }, (_, number) =>
      paymentRow(`kind ${number}`, {
        asset: addressOf('C', `kind ${number % 300}`),
        closedAt: 1_780_000_000 + ((number * 37) % 500),
        seller,
      }),
    )
    const made = rows.map((row) => ({ ...makePayment(0), network: networks[0], row }))
    await writePayments(store.db, epochs, made)
    expect(await pageThrough({ seller }, 50)).toEqual(expected({ seller }, made))
    expect(await pageThrough({ buyer: 'GBUYER', seller }, 100)).toEqual(expected({ seller }, made))
  })
})
