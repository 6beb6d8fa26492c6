import { h, type VNode } from 'preact'
import type { NetworkId } from '../../../../platform/core/caip2.ts'
import type { Seller } from '../../../records.ts'
import { card } from '../../components/card.ts'
import { type Fact, facts } from '../../components/facts.ts'
import { shareBar } from '../../components/figures/share-bar.ts'
import { stats } from '../../components/figures/stat.ts'
import { timeChart } from '../../components/figures/time-chart.ts'
import { pageHead } from '../../components/page-head.ts'
import { dataTable } from '../../components/tables/data-table.ts'
import { paymentsTable } from '../../components/tables/payments-table.ts'
import { volumeTable } from '../../components/tables/volume-table.ts'
import { address } from '../../components/values/address.ts'
import { claimedName } from '../../components/values/claimed-name.ts'
import { networkName } from '../../components/values/network.ts'
import { fullTime } from '../../components/values/time.ts'
import type { PageDeps } from '../../deps.ts'
import { counted, readableCount, readableShare, shareOf } from '../../format/count.ts'
import { shortened } from '../../format/short.ts'
import { visibleText } from '../../format/visible-text.ts'
import { linkTo } from '../../links.ts'
import { type Page, PageRefusal, type PageRequest } from '../../page.ts'
import { showsNetworkOf } from '../../serving/shows-network.ts'
import { bucketsOf, chartWords } from '../../window.ts'

/** One seller: figures, what speaks for and against them, payments by time, and the newest payments. */
export async function sellerPage(
  { params, network, now }: PageRequest,
  { reads, networks, catalog }: PageDeps,
): Promise<Page> {
  const payTo = params['payTo'] ?? ''
  if (!/^[GC][A-Z2-7]{55}$/.test(payTo)) {
    throw new PageRefusal(
      404,
      'No such seller',
      'A seller is an address of G or C and 55 more characters. Search for one above.',
    )
  }
  const filters = { seller: payTo, ...(network && { network }) }
  const [seller, series] = await Promise.all([
    reads.seller(payTo, network),
    reads.timeseries({ ...bucketsOf['30d'], ...filters }),
  ])
  return {
    title: `Seller ${shortened(payTo)}`,
    section: 'sellers',
    body: [
      pageHead('Seller', address(payTo, { label: 'Seller', isWhole: true })),
      about(seller),
      catalog !== undefined &&
        h(
          'p',
          null,
          h('a', { href: linkTo.catalog({ payTo, network }) }, 'What it sells in the catalog'),
        ),
      figures(seller, network),
      sold(seller.resources, showsNetworkOf(networks, { network })),
      card(
        { title: `Payments, ${chartWords(series, '30d')}`, id: 'by-time' },
        timeChart({ series, filters, span: chartWords(series, '30d') }),
      ),
      h(
        'div',
        { class: 'columns' },
        card({ title: 'Conduct', id: 'conduct' }, facts(conductFacts(seller, { now, network }))),
        card(
          { title: 'Volume by asset', id: 'volume', isFlush: true },
          volumeTable(seller.stats.byAsset, filters, 'What this seller was paid, by asset'),
        ),
      ),
      card(
        {
          title: 'Latest payments',
          id: 'payments',
          isFlush: true,
          aside: h('a', { href: linkTo.payments(filters) }, 'All its payments'),
        },
        paymentsTable({
          caption: 'Newest payments to this seller',
          payments: seller.payments,
          now,
          showsNetwork: showsNetworkOf(networks, { network }),
          empty: 'No payment to this address was observed.',
        }),
      ),
    ],
  }
}

/**
 * What the claim of a seller with one resource says; the table below has the resources of others. The resource is text, not a
 * link: anyone can register any.
 */
function about({ serviceName, description, resource, resources = [] }: Seller): VNode | false {
  if (resources.length > 1) return false
  const name = claimedName(serviceName)
  if (!name && description === undefined && resource === undefined) return false
  return h(
    'div',
    { class: 'about' },
    name && h('p', null, name),
    description !== undefined && h('p', null, h('bdi', null, visibleText(description))),
    resource !== undefined && h('p', { class: 'mono soft' }, h('bdi', null, visibleText(resource))),
  )
}

/** Everything that our catalog lists for the seller. */
function sold(resources: Seller['resources'] = [], showsNetwork: boolean): VNode | false {
  if (resources.length < 2) return false
  return card(
    { title: `Sells ${counted(resources.length, 'resource')}`, id: 'resources', isFlush: true },
    dataTable<SoldResource>({
      caption: 'What the catalog lists for this seller',
      rows: resources,
      keyOf: ({ network, method, resource }) => `${network} ${method} ${resource}`,
      empty: 'Nothing.',
      columns: [
        { label: 'Resource', isRowHeader: true, cell: soldName },
        {
          label: 'Claimed by',
          cell: ({ serviceName = '' }) => h('bdi', null, visibleText(serviceName)),
        },
        ...(showsNetwork
          ? [{ label: 'Network', cell: ({ network }: SoldResource) => networkName(network) }]
          : []),
      ],
    }),
  )
}

type SoldResource = NonNullable<Seller['resources']>[number]

const soldName = ({ method, resource }: SoldResource): VNode =>
  h('span', { class: 'mono' }, `${method} `, h('bdi', null, visibleText(resource)))

function figures({ payTo, stats: figure, conduct }: Seller, network: NetworkId | undefined): VNode {
  const href = linkTo.payments({ seller: payTo, network })
  const { topBuyer, selfPayments } = conduct
  const exceptTop = figure.totalPayments - (topBuyer?.payments ?? 0)
  return stats([
    { label: 'Payments', value: readableCount(figure.totalPayments), href },
    {
      label: 'Unique buyers',
      value: readableCount(figure.uniqueBuyers),
      href,
      note: perBuyer(figure.totalPayments, figure.uniqueBuyers),
    },
    {
      label: 'Self-payments',
      value: readableCount(selfPayments),
      href: linkTo.payments({ seller: payTo, buyer: payTo, network }),
      note: `${readableShare(shareOf(selfPayments, figure.totalPayments))} of its payments`,
    },
    {
      label: 'Share of the top buyer',
      value: readableShare(topBuyer?.share ?? 0),
      href: topBuyer && linkTo.payments({ seller: payTo, buyer: topBuyer.buyer, network }),
      note: topBuyer ? `${counted(exceptTop, 'payment')} by others` : 'no buyer yet',
    },
  ])
}

const perBuyer = (payments: number, buyers: number): string =>
  buyers === 0 ? 'no payment yet' : `${(payments / buyers).toFixed(1)} payments each on average`

/** Wash trading shows here: few buyers, one of them most of the volume, or the seller itself. */
function conductFacts(
  { payTo, stats: figure, conduct }: Seller,
  { now, network }: { readonly now: number; readonly network: NetworkId | undefined },
): readonly (Fact | false)[] {
  const { topBuyer, selfPayments } = conduct
  const { firstPaymentAt, lastPaymentAt, byConfidence } = figure
  return [
    topBuyer !== undefined && {
      label: 'Top buyer',
      value: address(topBuyer.buyer, { label: 'Buyer', href: linkTo.address(topBuyer.buyer) }),
      note: topBuyer.buyer === payTo ? 'It is the seller itself.' : undefined,
    },
    topBuyer !== undefined && {
      label: 'Its share',
      value: shareBar(topBuyer.share),
      note: h(
        'a',
        { href: linkTo.payments({ seller: payTo, buyer: topBuyer.buyer, network }) },
        `${counted(topBuyer.payments, 'payment')} of ${readableCount(figure.totalPayments)}`,
      ),
    },
    {
      label: 'Self-payments',
      value: shareBar(shareOf(selfPayments, figure.totalPayments)),
      note: 'Payments whose buyer is the seller. They are in every figure of this page.',
    },
    {
      label: 'x402-shaped',
      value: shareBar(shareOf(byConfidence['x402-shaped'], figure.totalPayments)),
      note: h(
        'a',
        { href: linkTo.payments({ seller: payTo, network, confidence: 'x402-shaped' }) },
        'Payments that no known facilitator submitted.',
      ),
    },
    firstPaymentAt !== undefined && {
      label: 'First payment',
      value: fullTime(firstPaymentAt, now),
    },
    lastPaymentAt !== undefined && { label: 'Last payment', value: fullTime(lastPaymentAt, now) },
  ]
}
