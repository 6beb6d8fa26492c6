import type { ExplorerReads } from '../../src/explorer/reads.ts'
import { StoreUnavailable } from '../../src/platform/database/postgres/unavailable.ts'
import type { Db } from '../../src/platform/database/schema.ts'
import { believableMarket, type Market } from '../../test/support/explorer/believable-market.ts'
import { hostileTexts } from '../../test/support/explorer/payment-records.ts'
import { beginNetwork, seedMarket } from '../../test/support/explorer/seed-explorer.ts'

/** When every picture is taken, in Unix seconds; the newest payment is a little older. */
export const NOW = Date.UTC(2026, 10, 20, 14, 30) / 1_000
const NEWEST = NOW - 12

/** Content of the store, and changes to its reads, for the pictures of pages. */
export interface State {
  /** @returns the payments that pages are chosen from */
  fill(db: Db): Promise<Market>
  readonly readsThrough?: (reads: ExplorerReads) => ExplorerReads
}

const full = (): Market => believableMarket({ now: NEWEST, payments: 4_000 })

async function fillWith(db: Db, market: Market): Promise<Market> {
  await seedMarket(db, market, NOW)
  return market
}

export const states = {
  full: { fill: (db) => fillWith(db, full()) },
  empty: {
    fill: async (db) => {
      const market = full()
      await beginNetwork(
        db,
        market.network,
        { ledger: 1_200, closedAt: NOW - 4 },
        new Date(NOW * 1_000),
      )
      return market
    },
  },
  /** The database does not answer. */
  failing: {
    fill: async () => full(),
    readsThrough: (reads) =>
      new Proxy(reads, {
        get: () => () => Promise.reject(new StoreUnavailable(new Error('connect ECONNREFUSED'))),
      }),
  },
  /** Names that others chose to break a page, and the largest amounts. */
  hostile: {
    fill: (db) => fillWith(db, hostile(believableMarket({ now: NEWEST, payments: 300 }))),
  },
} as const satisfies Record<string, State>

const hostile = (market: Market): Market => ({
  ...market,
  facilitators: market.facilitators.map((facilitator, index) => ({
    ...facilitator,
    displayName: hostileAt(index),
  })),
  services: market.services.map((service, index) => ({
    ...service,
    serviceName: hostileAt(index),
    description: hostileAt(index + 1).repeat(10),
    resource: index % 2 === 0 ? 'javascript:alert(1)' : `https://example.com/${'a'.repeat(400)}`,
  })),
  payments: market.payments.map((payment, index) => ({
    ...payment,
    memo: hostileAt(index),
    ...(index % 3 === 0 && {
      amount: 10n ** 39n - 1n,
      ...(payment.scheme === 'upto' && { ceiling: 10n ** 39n - 1n }),
    }),
  })),
})

/** Postgres keeps no NUL; the catalog refuses it. */
const hostileAt = (index: number): string =>
  hostileTexts[index % hostileTexts.length]!.replaceAll('\0', '')
