import type { ExplorerReads, FeedFilters, FeedMarks } from '../../../src/explorer/reads.ts'
import type {
  AggregateBlock,
  AssetTotal,
  FacilitatorShare,
  PaymentRecord,
  SellerEntry,
} from '../../../src/explorer/records.ts'
import { ofEachScheme } from '../../../src/payments/protocol/schemes.ts'
import { StoreUnavailable } from '../../../src/platform/database/postgres/unavailable.ts'

export interface MemoryExplorer {
  /** Oldest first. */
  payments: PaymentRecord[]
  /** Every read fails as one of a store that cannot be reached. */
  isDown?: boolean
  /** Unix ms. */
  readonly now: number
}

/** Reads over a list of payments, for tests of pages: every figure is a count over the list. */
export function memoryReads(explorer: MemoryExplorer): ExplorerReads {
  const all = (): readonly PaymentRecord[] => {
    if (explorer.isDown) throw new StoreUnavailable(new Error('the test took the store away'))
    return explorer.payments
  }
  const matching = (filters: FeedFilters) => all().filter((each) => matches(each, filters))
  const { now } = explorer
  return {
    feed: async (filters, { limit, cursor = '0' }) => {
      const items = matching(filters).toReversed()
      const end = Number(cursor) + limit
      return {
        items: items.slice(Number(cursor), end),
        ...(items.length > end && { nextCursor: String(end) }),
      }
    },
    newPayments: async (after, limit) => {
      const closeOf = (payment: PaymentRecord) => Date.parse(payment.closedAt) / 1_000
      const closes = all().map(closeOf)
      const marks: FeedMarks = { 'stellar:testnet': closes.at(-1) ?? 0 }
      if (after === undefined) return { items: [], marks }
      const from = after['stellar:testnet'] ?? 0
      const items = all().filter((payment) => closeOf(payment) > from)
      const shown = items.slice(0, limit)
      const last = items.length > limit ? shown.map(closeOf).at(-1) : undefined
      return { items: shown, marks: last === undefined ? marks : { 'stellar:testnet': last } }
    },
    sellers: async ({ limit, offset, registered }) => {
      const entries = [...Map.groupBy(all(), ({ seller }) => seller)]
        .map(([payTo, payments]) => sellerEntry(payTo, payments))
        .filter((entry) => registered === undefined || entry.registered === registered)
        .sort((a, b) => b.payments - a.payments)
      return {
        items: entries.slice(offset, offset + limit),
        pagination: { total: entries.length, limit, offset },
      }
    },
    seller: async (payTo) => {
      const payments = matching({ seller: payTo })
      const [top] = [...Map.groupBy(payments, ({ buyer }) => buyer)]
        .map(([buyer, theirs]) => ({
          buyer,
          payments: theirs.length,
          share: theirs.length / payments.length,
        }))
        .sort((a, b) => b.payments - a.payments)
      const name = payments.find(({ serviceName }) => serviceName)
      return {
        payTo,
        stats: aggregate(payments),
        payments: payments.toReversed().slice(0, 25),
        conduct: {
          selfPayments: payments.filter(({ buyer, seller }) => buyer === seller).length,
          ...(top && { topBuyer: top }),
        },
        ...(name?.serviceName && { serviceName: name.serviceName }),
        ...(name?.resource && { resource: name.resource }),
      }
    },
    stats: async () => ({
      ...aggregate(all()),
      networks: ['stellar:testnet'],
      ingest: [
        {
          network: 'stellar:testnet',
          consecutiveFailures: 0,
          lastLedger: all().at(-1)?.ledger ?? 51_000,
          lastClosedAt: new Date(now - 4_000).toISOString(),
          backfill: 'done',
          gaps: [],
        },
      ],
    }),
    ecosystem: async () => {
      const payments = all()
      const window = (hours: number) => {
        const some = payments.filter(
          ({ closedAt }) => now - Date.parse(closedAt) < hours * 3_600_000,
        )
        const { totalPayments, uniqueBuyers, uniqueSellers, byAsset } = aggregate(some)
        return {
          payments: totalPayments,
          uniqueBuyers,
          uniqueSellers,
          newBuyers: 1,
          newSellers: 1,
          volume: byAsset,
        }
      }
      return {
        generatedAt: new Date(now).toISOString(),
        networks: ['stellar:testnet'],
        coverage: [{ network: 'stellar:testnet', watchedSacs: 'all' }],
        totals: aggregate(payments),
        windows: { '24h': window(24), '7d': window(168), '30d': window(720) },
        facilitators: shares(payments, now),
        topSellers: [...Map.groupBy(payments, ({ seller }) => seller)]
          .map(([payTo, theirs]) => {
            const { volume, lastSeenAt, ...entry } = sellerEntry(payTo, theirs)
            return {
              network: entry.network,
              payTo,
              payments: entry.payments,
              uniqueBuyers: entry.uniqueBuyers,
              volume: aggregate(theirs).byAsset,
              lastPaymentAt: lastSeenAt ?? '',
              ...(entry.serviceName && { serviceName: entry.serviceName }),
            }
          })
          .sort((a, b) => b.payments - a.payments)
          .slice(0, 10),
      }
    },
    timeseries: async ({ bucket, count, seller, asset, facilitator }) => {
      const ms = bucket === 'hour' ? 3_600_000 : 86_400_000
      const present = Math.floor(now / ms)
      const some = matching({
        ...(seller && { seller }),
        ...(asset && { asset }),
        ...(facilitator && { facilitator }),
      })
      const byBucket = Map.groupBy(some, ({ closedAt }) => Math.floor(Date.parse(closedAt) / ms))
      return {
        bucket,
        points: Array.from({ length: count }, (_, i) => {
          const at = present - count + 1 + i
          const { totalPayments, byConfidence, byAsset } = aggregate(byBucket.get(at) ?? [])
          return {
            at: new Date(at * ms).toISOString(),
            payments: totalPayments,
            byConfidence,
            volume: byAsset,
          }
        }),
      }
    },
    payment: async (txHash) => all().find((each) => each.txHash === txHash),
    facilitators: async () => shares(all(), now),
    facilitator: async (id) => {
      const share = shares(all(), now).find(({ facilitatorId }) => facilitatorId === id)
      return (
        share && {
          ...share,
          source: 'configured',
          baseUrl: 'https://facilitator.example',
          networks: ['stellar:testnet'],
          signers: [{ network: 'stellar:testnet', address: all()[0]?.txSource ?? '' }],
          claimedSigners: [],
          uptoContracts: [],
          createdAt: new Date(now - 86_400_000).toISOString(),
        }
      )
    },
    asset: async (contract) => {
      const payments = matching({ asset: contract })
      const [first] = payments
      if (!first) return undefined
      const { byAsset, uniqueBuyers: _b, uniqueSellers: _s, ...rest } = aggregate(payments)
      const [total] = byAsset
      return {
        network: first.network,
        assetContract: contract,
        ...(first.asset && { asset: first.asset }),
        ...(first.assetCode && { assetCode: first.assetCode }),
        decimals: 7,
        stats: {
          ...rest,
          total: total?.total ?? '0',
          totalDecimal: total?.totalDecimal ?? '0',
          windows: { '24h': payments.length, '7d': payments.length, '30d': payments.length },
        },
      }
    },
    findSellers: async () => [],
    listingActivity: async () => new Map(),
    listingPayments: async () => [],
    listingOf: async () => undefined,
    roles: async (address) => ({
      isSeller: matching({ seller: address }).length > 0,
      isBuyer: matching({ buyer: address }).length > 0,
      isAsset: matching({ asset: address }).length > 0,
    }),
  }
}

const matches = (payment: PaymentRecord, filters: FeedFilters): boolean =>
  Object.entries(filters).every(([name, value]) => {
    if (value === undefined) return true
    if (name === 'asset') return payment.assetContract === value
    if (name === 'facilitator') return payment.facilitator?.id === value
    return payment[name as 'seller'] === value
  })

const countOf = (values: readonly string[]): number => new Set(values).size

function aggregate(payments: readonly PaymentRecord[]): AggregateBlock {
  const confidence = (name: string) => payments.filter((each) => each.confidence === name).length
  const [first, last] = [payments[0], payments.at(-1)]
  return {
    totalPayments: payments.length,
    uniqueBuyers: countOf(payments.map(({ buyer }) => buyer)),
    uniqueSellers: countOf(payments.map(({ seller }) => seller)),
    byScheme: ofEachScheme((name) => payments.filter(({ scheme }) => scheme === name).length),
    byConfidence: {
      svc: confidence('svc'),
      'verified-facilitator': confidence('verified-facilitator'),
      'x402-shaped': confidence('x402-shaped'),
    },
    byAsset: byAsset(payments),
    ...(first && { firstPaymentAt: first.closedAt }),
    ...(last && { lastPaymentAt: last.closedAt }),
  }
}

const byAsset = (payments: readonly PaymentRecord[]): AssetTotal[] =>
  [...Map.groupBy(payments, ({ assetContract }) => assetContract)]
    .map(([assetContract, some]) => {
      const total = some.reduce((sum, { amount }) => sum + BigInt(amount), 0n)
      const digits = String(total).padStart(8, '0')
      const { asset, assetCode } = some[0]!
      return {
        assetContract,
        count: some.length,
        total: String(total),
        totalDecimal: `${digits.slice(0, -7)}.${digits.slice(-7)}`,
        ...(asset && { asset }),
        ...(assetCode && { assetCode }),
      }
    })
    .sort((a, b) => b.count - a.count)

function sellerEntry(payTo: string, payments: readonly PaymentRecord[]): SellerEntry {
  const { totalPayments, uniqueBuyers, byAsset: volume, lastPaymentAt } = aggregate(payments)
  const name = payments.find(({ serviceName }) => serviceName)?.serviceName
  return {
    payTo,
    network: 'stellar:testnet',
    registered: name !== undefined,
    payments: totalPayments,
    uniqueBuyers,
    volume: volume.map(({ count: _, ...each }) => ({
      ...each,
      totalDecimal: each.totalDecimal ?? '0',
    })),
    ...(lastPaymentAt && { lastSeenAt: lastPaymentAt }),
    ...(name && { serviceName: name }),
  }
}

const shares = (payments: readonly PaymentRecord[], now: number): FacilitatorShare[] =>
  [...Map.groupBy(payments, ({ facilitator }) => facilitator?.id ?? null)]
    .map(([facilitatorId, some]) => {
      const within = (hours: number) =>
        some.filter(({ closedAt }) => now - Date.parse(closedAt) < hours * 3_600_000).length
      return {
        facilitatorId,
        payments: some.length,
        share: Math.round((some.length / payments.length) * 10_000) / 10_000,
        windows: { '24h': within(24), '7d': within(168), '30d': within(720) },
        verified: facilitatorId !== null,
        ...(some[0]?.facilitator && { displayName: some[0].facilitator.displayName }),
        lastPaymentAt: some.at(-1)?.closedAt ?? '',
      }
    })
    .sort((a, b) => b.payments - a.payments)
