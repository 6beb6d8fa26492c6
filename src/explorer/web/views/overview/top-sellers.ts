import type { VNode } from 'preact'
import type { Ecosystem } from '../../../records.ts'
import { dataTable } from '../../components/tables/data-table.ts'
import { sellerColumns } from '../sellers/seller-columns.ts'

type TopSeller = Ecosystem['topSellers'][number]

export interface TopSellersOptions {
  readonly now: number
  readonly showsNetwork: boolean
}

/** The most active sellers. */
export const topSellersTable = (
  sellers: readonly TopSeller[],
  { now, showsNetwork }: TopSellersOptions,
): VNode =>
  dataTable<TopSeller>({
    caption: 'Sellers with most payments, last 30 days',
    rows: sellers,
    keyOf: ({ network, payTo }) => `${network}/${payTo}`,
    empty: 'Nobody was paid in the last 30 days.',
    columns: sellerColumns<TopSeller>({
      now,
      showsNetwork,
      lastPaymentOf: ({ lastPaymentAt }) => lastPaymentAt,
    }),
  })
