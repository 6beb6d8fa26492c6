import { h, type VNode } from 'preact'
import type { NetworkId } from '../../../../platform/core/caip2.ts'
import type { AssetTotal, Ecosystem } from '../../../records.ts'
import { card } from '../../components/card.ts'
import { choice } from '../../components/choice.ts'
import { stats } from '../../components/figures/stat.ts'
import { timeChart } from '../../components/figures/time-chart.ts'
import { liveControls } from '../../components/live-controls.ts'
import { pageHead } from '../../components/page-head.ts'
import { paymentsTable } from '../../components/tables/payments-table.ts'
import { volumeTable } from '../../components/tables/volume-table.ts'
import { total } from '../../components/values/amount.ts'
import { networkName } from '../../components/values/network.ts'
import type { PageDeps } from '../../deps.ts'
import { counted, readableCount } from '../../format/count.ts'
import { linkTo } from '../../links.ts'
import { liveLink } from '../../live/live-link.ts'
import type { Page, PageRequest } from '../../page.ts'
import { showsNetworkOf } from '../../serving/shows-network.ts'
import { bucketsOf, chartWords, readSpan, type Span, spanChoices, spanWords } from '../../window.ts'
import { sharesTable } from '../facilitators/shares-table.ts'
import { topSellersTable } from './top-sellers.ts'

const PAYMENTS = 10

/** The headline numbers, and the beginning of every other page. */
export async function overviewPage(
  { query, network, now }: PageRequest,
  { reads, networks }: PageDeps,
): Promise<Page> {
  const span = readSpan(query['window'], '24h')
  const filters = network ? { network } : {}
  // The marks first: a payment that comes between the two reads is then shown twice, and the script leaves out one.
  const { marks } = await reads.newPayments(undefined, 0)
  const [ecosystem, series, feed] = await Promise.all([
    reads.ecosystem(network),
    reads.timeseries({ ...bucketsOf[span], ...filters }),
    reads.feed(filters, { limit: PAYMENTS }),
  ])
  const chartSpan = chartWords(series, span)
  return {
    title: 'Overview',
    section: 'overview',
    body: [
      pageHead(
        'x402 payments on Stellar',
        `Every one on ${network ? networkName(network) : networks.map(networkName).join(' and ')}, read from the ledger as it closes.`,
        choice(
          'Window',
          spanChoices(span, (window) => linkTo.overview({ network, window })),
        ),
      ),
      headline(ecosystem, span, network),
      card(
        { title: `Payments by ${series.bucket}, ${chartSpan}`, id: 'by-time' },
        timeChart({ series, filters, span: chartSpan }),
      ),
      h(
        'div',
        { class: 'columns' },
        card(
          {
            title: 'Facilitators',
            id: 'facilitators',
            isFlush: true,
            aside: h('a', { href: linkTo.facilitators({ network, window: span }) }, 'All'),
          },
          sharesTable({
            caption: `Facilitators by payments, ${spanWords[span]}`,
            shares: ecosystem.facilitators,
            span,
            network,
            now,
            isShort: true,
          }),
        ),
        card(
          { title: 'Volume by asset', id: 'volume', isFlush: true },
          volumeTable(
            volumeOf(ecosystem, span).slice(0, SHORT),
            filters,
            `Volume by asset, ${spanWords[span]}`,
          ),
        ),
      ),
      card(
        {
          title: 'Top sellers, last 30 days',
          id: 'sellers',
          isFlush: true,
          aside: h('a', { href: linkTo.sellers({ network }) }, 'All sellers'),
        },
        topSellersTable(ecosystem.topSellers, {
          now,
          showsNetwork: showsNetworkOf(networks, filters),
        }),
      ),
      card(
        {
          title: 'Latest payments',
          id: 'payments',
          isFlush: true,
          aside: [liveControls(), h('a', { href: linkTo.payments({ network }) }, 'All payments')],
        },
        paymentsTable({
          caption: 'Latest payments, newest first',
          payments: feed.items,
          now,
          showsNetwork: showsNetworkOf(networks, filters),
          empty: 'No payment yet. The next one appears here by itself.',
          live: { url: liveLink(filters, marks), most: PAYMENTS },
        }),
      ),
    ],
  }
}

/** Assets of the overview; the feed's filter finds every other one. */
const SHORT = 6

const volumeOf = ({ totals, windows }: Ecosystem, span: Span): readonly AssetTotal[] =>
  span === 'all' ? totals.byAsset : windows[span].volume

function headline(ecosystem: Ecosystem, span: Span, network: NetworkId | undefined): VNode {
  const { totals, windows } = ecosystem
  const window = span === 'all' ? undefined : windows[span]
  const figures = window
    ? { ...window, newBuyers: window.newBuyers, newSellers: window.newSellers }
    : { ...totals, payments: totals.totalPayments, newBuyers: undefined, newSellers: undefined }
  const [largest] = volumeOf(ecosystem, span)
  const assets = volumeOf(ecosystem, span).length
  const payments = linkTo.payments({ network })
  return stats([
    {
      label: 'Payments',
      value: readableCount(figures.payments),
      href: payments,
      note: window ? `${readableCount(totals.totalPayments)} in all` : firstOf(totals),
    },
    {
      label: 'Unique buyers',
      value: readableCount(figures.uniqueBuyers),
      href: payments,
      note: newOnes(figures.newBuyers),
    },
    {
      label: 'Unique sellers',
      value: readableCount(figures.uniqueSellers),
      href: linkTo.sellers({ network, window: span }),
      note: newOnes(figures.newSellers),
    },
    {
      label: 'Volume',
      value: largest
        ? total(largest, {
            network,
            hrefOf: ({ assetContract: asset }) => linkTo.payments({ network, asset }),
          })
        : '0',
      note: largest ? othersOf(assets - 1) : 'nothing was paid',
    },
  ])
}

const othersOf = (others: number): string =>
  others === 0 ? 'in one asset' : `and ${counted(others, 'other asset')}`

const newOnes = (count: number | undefined): string =>
  count === undefined ? 'all time' : `${readableCount(count)} new`

const firstOf = ({ firstPaymentAt }: Ecosystem['totals']): string =>
  firstPaymentAt === undefined ? 'none yet' : `observed since ${firstPaymentAt.slice(0, 10)}`
