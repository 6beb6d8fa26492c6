import { h, type VNode } from 'preact'
import type { CatalogItem } from '../../../../buying/client/catalog-types.ts'
import { isNetworkId } from '../../../../platform/core/caip2.ts'
import type { ListingActivity } from '../../../reading/listing-activity.ts'
import { activity } from '../../components/figures/activity.ts'
import { dataTable } from '../../components/tables/data-table.ts'
import { address } from '../../components/values/address.ts'
import { networkName } from '../../components/values/network.ts'
import { counted, readableCount } from '../../format/count.ts'
import { visibleText } from '../../format/visible-text.ts'
import { linkTo } from '../../links.ts'
import { kindTag, nameOf, shownResource } from './item-name.ts'
import { price } from './price.ts'
import { trustTag } from './trust.ts'

/** Prices and sellers of an item that a row names; its listings have the others. */
const MAX_SHOWN = 3

export interface ResultsOptions {
  readonly items: readonly CatalogItem[]
  readonly activity: ListingActivity
  readonly showsNetwork: boolean
  readonly empty: string
}

/** Items of the catalog, as it orders them. */
export const resultsTable = (options: ResultsOptions): VNode =>
  dataTable<CatalogItem>({
    caption: 'Listings of the catalog',
    class: 'catalog',
    rows: options.items,
    keyOf: ({ svc }) => svc.listings[0]?.id ?? '',
    empty: options.empty,
    columns: [
      {
        label: 'Listing',
        name: 'listing',
        isRowHeader: true,
        cell: (item) => listing(item, options.showsNetwork),
      },
      { label: 'Price', name: 'prices', cell: prices },
      { label: 'Seller', name: 'seller', cell: sellers },
      {
        label: 'Settlements',
        isNumber: true,
        cell: ({ svc }) =>
          h('a', { href: `${listingHref(svc)}#payments` }, readableCount(svc.settlements)),
      },
      {
        label: 'Activity',
        name: 'activity-cell',
        cell: ({ svc }) => activity(sumOf(svc.listings, options.activity)),
      },
    ],
  })

const listingHref = ({ listings }: CatalogItem['svc']): string =>
  linkTo.listing(listings[0]?.id ?? '')

function listing(item: CatalogItem, showsNetwork: boolean): VNode {
  const { svc, description } = item
  return h(
    'span',
    { class: 'named' },
    h(
      'span',
      { class: 'item' },
      h('a', { href: listingHref(svc), class: 'name' }, h('bdi', null, nameOf(item))),
      kindTag(item),
      trustTag(svc.trust),
      showsNetwork && svc.listings.map(networkLink),
    ),
    h('span', { class: 'mono soft resource' }, h('bdi', null, shownResource(item.resource))),
    description && h('span', { class: 'words' }, h('bdi', null, visibleText(description))),
  )
}

/** A resource that is sold on several networks has a page for each. */
const networkLink = ({ id, network }: CatalogItem['svc']['listings'][number]): VNode =>
  h(
    'a',
    { key: id, class: 'tag', href: linkTo.listing(id) },
    isNetworkId(network) ? networkName(network) : visibleText(network),
  )

const prices = ({ accepts, svc }: CatalogItem): VNode =>
  h(
    'span',
    { class: 'named' },
    accepts.slice(0, MAX_SHOWN).map((option, place) => price(option, svc.options[place])),
    more(accepts.length, 'option'),
  )

function sellers({ svc }: CatalogItem): VNode {
  const distinct = [...new Map(svc.listings.map((each) => [each.owner, each])).values()]
  return h(
    'span',
    { class: 'named' },
    distinct.slice(0, MAX_SHOWN).map(({ owner, network }) =>
      address(owner, {
        label: 'Seller',
        href: linkTo.address(owner),
        ...(isNetworkId(network) && { href: linkTo.seller(owner, { network }) }),
      }),
    ),
    more(distinct.length, 'seller'),
  )
}

const more = (all: number, what: string): VNode | false =>
  all > MAX_SHOWN && h('span', { class: 'soft' }, `and ${counted(all - MAX_SHOWN, what)} more`)

function sumOf(
  listings: CatalogItem['svc']['listings'],
  activities: ListingActivity,
): readonly number[] {
  const all = listings.flatMap(({ id }) => {
    const days = activities.get(id)
    return days ? [days] : []
  })
  return (all[0] ?? []).map((_, day) => all.reduce((sum, days) => sum + (days[day] ?? 0), 0))
}
