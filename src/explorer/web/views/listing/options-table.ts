import { h, type VNode } from 'preact'
import type { CatalogListing } from '../../../../buying/client/catalog-types.ts'
import { isMetered } from '../../../../payments/protocol/schemes.ts'
import { isNetworkId } from '../../../../platform/core/caip2.ts'
import { dataTable } from '../../components/tables/data-table.ts'
import { address } from '../../components/values/address.ts'
import { counted } from '../../format/count.ts'
import { visibleText } from '../../format/visible-text.ts'
import { linkTo } from '../../links.ts'
import { type PaymentOption, price } from '../catalog/price.ts'

interface Row {
  readonly place: number
  readonly option: PaymentOption
  readonly facts: CatalogListing['svc']['options'][number] | undefined
}

/** What a call costs, in each way to pay for it. */
export const optionsTable = ({ accepts, svc }: CatalogListing): VNode =>
  dataTable<Row>({
    caption: 'Ways to pay for a call',
    class: 'options',
    rows: accepts.map((option, place) => ({ place, option, facts: svc.options[place] })),
    keyOf: ({ place }) => String(place),
    empty: 'No way to pay is known.',
    columns: [
      {
        label: 'Price of a call',
        name: 'prices',
        isRowHeader: true,
        cell: ({ option, facts }) => price(option, facts),
      },
      {
        label: 'Scheme',
        cell: ({ option: { scheme } }) =>
          h(
            'span',
            { class: 'named' },
            visibleText(scheme),
            isMetered(scheme) && h('span', { class: 'soft' }, 'A call costs what it uses.'),
          ),
      },
      {
        label: 'Paid to',
        cell: ({ option: { payTo, network } }) =>
          address(payTo, {
            label: 'Seller',
            href: isNetworkId(network) ? linkTo.seller(payTo, { network }) : undefined,
          }),
      },
      {
        label: 'Payee can receive it',
        cell: ({ facts }) =>
          facts?.receivable === undefined ? 'not known yet' : facts.receivable ? 'yes' : 'no',
      },
      {
        label: 'Time to answer',
        isNumber: true,
        cell: ({ option }) => counted(option.maxTimeoutSeconds, 'second'),
      },
    ],
  })
