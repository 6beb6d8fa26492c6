import type { SteadyClock } from '../platform/core/time/clock.ts'
import type { Metrics } from '../platform/telemetry/metrics/metrics.ts'
import { stopwatch } from '../platform/telemetry/traces/stopwatch.ts'
import { assetRecord } from './reading/asset-record.ts'
import type { ReadDeps } from './reading/deps.ts'
import { facilitatorOf, facilitatorsOf } from './reading/facilitators.ts'
import { feedPage } from './reading/feed.ts'
import { ecosystemOf } from './reading/figures/ecosystem.ts'
import { statsOf } from './reading/figures/stats.ts'
import { timeseriesOf } from './reading/figures/timeseries.ts'
import { listingActivity } from './reading/listing-activity.ts'
import { newPaymentsAfter } from './reading/new-payments.ts'
import { paymentRecord } from './reading/payment-record.ts'
import { sellerOf } from './reading/sellers/seller.ts'
import { sellersPage } from './reading/sellers/sellers.ts'
import type { ExplorerReads } from './reads.ts'
import { SAME_URL_MS, SharedAnswers } from './shared-answers.ts'
import { readListingOf, readListingPayments } from './store/catalog/purchases.ts'
import { findSellers } from './store/payments/read-find.ts'
import { readPayment } from './store/payments/read-payment.ts'
import { readDetails } from './store/payments/read-payment-details.ts'
import { readRoles } from './store/payments/read-roles.ts'

/** Keys are few: networks times windows, and identifiers that callers choose. */
const MAX_KEYS = 1_000

/** The database may be a read replica. */
export interface ReadsOptions extends ReadDeps {
  readonly clock: SteadyClock
  readonly metrics?: Pick<Metrics, 'explorerQueries'>
  /**
   * How long an answer is given again. @default headline numbers of the API are at most 5 s old, and what covers
   * everything 15 s, since the API gives its text again for `SAME_URL_MS`
   */
  readonly goodForMs?: { readonly stats: number; readonly ecosystem: number }
}

const defaults = { stats: 5_000 - SAME_URL_MS, ecosystem: 15_000 - SAME_URL_MS }

/** Reads for the routes and the pages. Answers over everything are shared by all who ask within seconds. */
export function openReads(options: ReadsOptions): ExplorerReads {
  const { db, clock, goodForMs = defaults } = options
  const shared = new SharedAnswers(clock, MAX_KEYS)
  const timed = <T>(query: keyof ExplorerReads, read: () => Promise<T>): Promise<T> => {
    const seconds = stopwatch()
    return read().finally(() => options.metrics?.explorerQueries.observe({ query }, seconds()))
  }
  const share = <T>(
    query: keyof ExplorerReads,
    { ms, key }: { readonly ms: number; readonly key: unknown },
    read: () => Promise<T>,
  ): Promise<T> => shared.get(`${query} ${JSON.stringify(key)}`, ms, () => timed(query, read))
  return {
    feed: (filters, page) => timed('feed', () => feedPage(db, filters, page)),
    newPayments: (after, limit) => timed('newPayments', () => newPaymentsAfter(db, after, limit)),
    sellers: (query) => timed('sellers', () => sellersPage(db, query)),
    seller: (payTo, network) => timed('seller', () => sellerOf(db, payTo, network)),
    stats: async ({ network, window }) => {
      const all = await share('stats', { ms: goodForMs.stats, key: [] }, () => statsOf(options))
      return all.get(network)![window ?? 'all']
    },
    ecosystem: (network) =>
      share('ecosystem', { ms: goodForMs.ecosystem, key: [network] }, () =>
        ecosystemOf(options, network),
      ),
    timeseries: (query) =>
      share('timeseries', { ms: goodForMs.ecosystem, key: Object.entries(query).sort() }, () =>
        timeseriesOf(options, query),
      ),
    payment: (txHash) =>
      timed('payment', async () => {
        const found = await readPayment(db, txHash)
        return found && (await readDetails(db, [found])).map(paymentRecord)[0]
      }),
    facilitators: (network) =>
      share('facilitators', { ms: goodForMs.ecosystem, key: [network] }, () =>
        facilitatorsOf(db, network),
      ),
    facilitator: (id) => timed('facilitator', () => facilitatorOf(db, id)),
    asset: (contract, network) => timed('asset', () => assetRecord(db, contract, network)),
    listingActivity: (listings) =>
      share('listingActivity', { ms: goodForMs.ecosystem, key: listings }, () =>
        listingActivity(db, listings, clock.now()),
      ),
    listingPayments: (listing, limit) =>
      timed('listingPayments', async () =>
        (await readDetails(db, await readListingPayments(db, listing, limit))).map(paymentRecord),
      ),
    listingOf: (payment) => timed('listingOf', () => readListingOf(db, payment)),
    findSellers: (text, page) => timed('findSellers', () => findSellers(db, text, page)),
    roles: (address) =>
      timed('roles', async () => {
        const { facilitator, ...roles } = await readRoles(db, address)
        return { ...roles, ...(facilitator !== null && { facilitator }) }
      }),
  }
}
