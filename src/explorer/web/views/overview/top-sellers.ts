import { h, type VNode } from 'preact'
import type { Ecosystem } from '../../../records.ts'
import { totals } from '../../components/amount.ts'
import { dataTable } from '../../components/tables/data-table.ts'
import { time, timeSwitch } from '../../components/time.ts'
import { readableCount } from '../../format/count.ts'
import { linkTo } from '../../links.ts'
import { sellerName } from '../sellers/seller-name.ts'

type TopSeller = Ecosystem['topSellers'][number]

export interface TopSellersOptions {
  readonly now: number
  readonly showsNetwork: boolean
}

/** The most active sellers, with their unique buyers beside their volume. */
export const topSellersTable = (
  sellers: readonly TopSeller[],
  { now, showsNetwork }: TopSellersOptions,
): VNode =>
  dataTable<TopSeller>({
    caption: 'Sellers with most payments, last 30 days',
    rows: sellers,
    keyOf: ({ network, payTo }) => `${network}/${payTo}`,
    empty: 'Nobody was paid in the last 30 days.',
    columns: [
      { label: 'Seller', isRowHeader: true, cell: (seller) => sellerName(seller, showsNetwork) },
      {
        label: 'Payments',
        isNumber: true,
        cell: ({ payTo, network, payments }) =>
          h('a', { href: linkTo.payments({ seller: payTo, network }) }, readableCount(payments)),
      },
      {
        label: 'Unique buyers',
        isNumber: true,
        cell: ({ payTo, network, uniqueBuyers }) =>
          h('a', { href: linkTo.seller(payTo, { network }) }, readableCount(uniqueBuyers)),
      },
      {
        label: 'Volume',
        isNumber: true,
        cell: ({ payTo, network, volume }) =>
          totals(volume, {
            network,
            hrefOf: ({ assetContract: asset }) =>
              linkTo.payments({ seller: payTo, network, asset }),
          }),
      },
      {
        label: 'Last payment',
        name: 'time',
        head: timeSwitch('Last payment'),
        cell: ({ lastPaymentAt }) => time(lastPaymentAt, now),
      },
    ],
  })
