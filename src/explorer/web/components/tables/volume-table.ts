import type { VNode } from 'preact'
import { h } from 'preact'
import type { NetworkId } from '../../../../platform/core/caip2.ts'
import type { FeedFilters } from '../../../reads.ts'
import type { AssetTotal } from '../../../records.ts'
import { readableCount } from '../../format/count.ts'
import { linkTo } from '../../links.ts'
import { assetName, totalFigure } from '../values/amount.ts'
import { dataTable } from './data-table.ts'

/** The volume in each asset. */
export const volumeTable = (
  volume: readonly AssetTotal[],
  filters: FeedFilters,
  caption: string,
): VNode =>
  dataTable<AssetTotal>({
    caption,
    rows: volume,
    keyOf: ({ assetContract }) => assetContract,
    empty: 'Nothing was paid in this time.',
    columns: [
      { label: 'Asset', isRowHeader: true, cell: (total) => assetName(total, networkOf(filters)) },
      {
        label: 'Payments',
        isNumber: true,
        cell: ({ assetContract, count }) =>
          h(
            'a',
            { href: linkTo.payments({ ...filters, asset: assetContract }) },
            readableCount(count),
          ),
      },
      {
        label: 'Volume',
        isNumber: true,
        cell: (total) =>
          totalFigure(total, linkTo.payments({ ...filters, asset: total.assetContract })),
      },
    ],
  })

const networkOf = ({ network }: FeedFilters): NetworkId | undefined => network
