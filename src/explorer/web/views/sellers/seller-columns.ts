import { h, type VNode } from 'preact'
import type { SellerEntry } from '../../../records.ts'
import type { Column } from '../../components/tables/data-table.ts'
import { totals } from '../../components/values/amount.ts'
import { time, timeSwitch } from '../../components/values/time.ts'
import { readableCount } from '../../format/count.ts'
import { linkTo } from '../../links.ts'
import { sellerName } from './seller-name.ts'

/** A seller with the figures of a window. */
type ListedSeller = Parameters<typeof sellerName>[0] &
  Pick<SellerEntry, 'payments' | 'uniqueBuyers'> & {
    readonly volume: Parameters<typeof totals>[0]
  }

export interface SellerColumnsOptions<Seller> {
  readonly now: number
  readonly showsNetwork: boolean
  readonly lastPaymentOf: (seller: Seller) => string | undefined
}

/** The columns of every table of sellers: their unique buyers stand beside their volume. */
export const sellerColumns = <Seller extends ListedSeller>({
  now,
  showsNetwork,
  lastPaymentOf,
}: SellerColumnsOptions<Seller>): readonly Column<Seller>[] => [
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
        hrefOf: ({ assetContract: asset }) => linkTo.payments({ seller: payTo, network, asset }),
      }),
  },
  {
    label: 'Last payment',
    name: 'time',
    head: timeSwitch('Last payment'),
    cell: (seller): VNode | string => {
      const at = lastPaymentOf(seller)
      return at === undefined ? 'none yet' : time(at, now)
    },
  },
]
