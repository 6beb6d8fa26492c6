import { h, type VNode } from 'preact'
import type { CatalogListing, ListingVersions } from '../../../../buying/client/catalog-types.ts'
import { dataTable } from '../../components/tables/data-table.ts'
import { address } from '../../components/values/address.ts'
import { time } from '../../components/values/time.ts'
import { linkTo } from '../../links.ts'
import { type PaymentOption, price } from '../catalog/price.ts'
import { trustTag } from '../catalog/trust.ts'

type Version = ListingVersions['versions'][number]
interface Row extends Version {
  /** Whether its prices differ from those of the version before it. */
  readonly isNewPrice: boolean
}

const causes: Readonly<Record<Version['cause'], string>> = {
  settlement: 'listed by a payment',
  origin_verification: 'its server was asked',
  ownership_transfer: 'another seller was paid',
  domain_verification: 'its host was asked',
  quarantine: 'its server did not confirm it',
}

/** The versions of a listing that are kept, newest first, with their prices. */
export function versionsTable(
  { versions }: ListingVersions,
  { accepts, svc }: CatalogListing,
  now: number,
): VNode {
  const factsOf = ({ asset }: PaymentOption) =>
    svc.options[accepts.findIndex((option) => option.asset === asset)]
  return dataTable<Row>({
    caption: 'Versions of the listing, newest first',
    class: 'versions',
    rows: versions
      .map((version, at) => ({ ...version, isNewPrice: differs(version, versions[at - 1]) }))
      .toReversed(),
    keyOf: ({ version }) => String(version),
    empty: 'No version is kept.',
    columns: [
      { label: 'Version', isRowHeader: true, cell: ({ version }) => String(version) },
      { label: 'Time', name: 'time', cell: ({ createdAt }) => time(createdAt, now) },
      {
        label: 'Price',
        name: 'prices',
        cell: ({ content, isNewPrice }) =>
          h(
            'span',
            { class: 'named' },
            content.accepts.map((option) => price(option, factsOf(option))),
            isNewPrice && h('span', { class: 'tag warn' }, 'price changed'),
          ),
      },
      {
        label: 'Why',
        cell: ({ cause, transaction }) =>
          h(
            'span',
            { class: 'named' },
            causes[cause],
            transaction !== undefined &&
              address(transaction, {
                label: 'Payment',
                href: linkTo.payment(transaction),
                mayCopy: false,
              }),
          ),
      },
      {
        label: 'State',
        cell: ({ state, trust }) =>
          h('span', { class: 'tags' }, h('span', { class: 'tag' }, state), trustTag(trust)),
      },
    ],
  })
}

const differs = (version: Version, before: Version | undefined): boolean =>
  before !== undefined && pricesOf(version) !== pricesOf(before)

const pricesOf = ({ content }: Version): string =>
  JSON.stringify(
    content.accepts.map(({ scheme, network, asset, amount }) => [scheme, network, asset, amount]),
  )
