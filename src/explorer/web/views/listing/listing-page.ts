import { h, type VNode } from 'preact'
import type { CatalogListing } from '../../../../buying/client/catalog-types.ts'
import { isNetworkId } from '../../../../platform/core/caip2.ts'
import { card } from '../../components/card.ts'
import { activity } from '../../components/figures/activity.ts'
import { stats } from '../../components/figures/stat.ts'
import { paymentsTable } from '../../components/tables/payments-table.ts'
import { address, copyButton } from '../../components/values/address.ts'
import { networkName } from '../../components/values/network.ts'
import { time } from '../../components/values/time.ts'
import type { PageDeps } from '../../deps.ts'
import { readableCount } from '../../format/count.ts'
import { visibleText } from '../../format/visible-text.ts'
import { linkTo } from '../../links.ts'
import { type Page, PageRefusal, type PageRequest } from '../../page.ts'
import { askCatalog } from '../catalog/ask-catalog.ts'
import { kindTag, nameOf, shownResource } from '../catalog/item-name.ts'
import { trustTag } from '../catalog/trust.ts'
import { exampleCard } from './example-card.ts'
import { optionsTable } from './options-table.ts'
import { payCard } from './pay/pay-card.ts'
import { declaredInputs, declaredOutputs } from './schema/declared.ts'
import { schemaTable } from './schema/schema-table.ts'
import { versionsTable } from './versions-table.ts'
import { vouching } from './vouching.ts'

const MAX_PAYMENTS = 20

/** One listing: what it costs, how it is called, who vouches for it, and how to pay. */
export async function listingPage(request: PageRequest, deps: PageDeps): Promise<Page> {
  const { params, now } = request
  const id = params['id'] ?? ''
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id)) {
    throw new PageRefusal(404, 'There is no such listing', 'The id of a listing has 32 digits.')
  }
  const [[listing, versions], payments, activities] = await Promise.all([
    askCatalog(deps, request, (catalog, options) =>
      Promise.all([catalog.listing(id, options), catalog.versions(id, options)]),
    ),
    deps.reads.listingPayments(id, MAX_PAYMENTS),
    deps.reads.listingActivity([id.toLowerCase()]),
  ])
  const { bazaar } = listing.extensions
  const days = activities.get(id.toLowerCase()) ?? []
  return {
    title: `${nameOf(listing)} · Catalog`,
    section: 'catalog',
    description: `${nameOf(listing)}: ${visibleText(listing.description ?? listing.resource)}`,
    body: [
      head(listing),
      figures(listing, now, days),
      card({ title: 'Price', id: 'price', isFlush: true }, optionsTable(listing)),
      h(
        'div',
        { class: 'columns' },
        card(
          { title: 'Inputs', id: 'inputs', isFlush: true },
          schemaTable(
            'What the call takes',
            declaredInputs(bazaar),
            'The call takes no inputs, or declares none.',
          ),
        ),
        card(
          { title: 'Outputs', id: 'outputs', isFlush: true },
          schemaTable(
            'What the answer holds',
            declaredOutputs(bazaar),
            'The seller does not say what the answer holds.',
          ),
        ),
      ),
      exampleCard(listing),
      payCard(listing, deps.catalog?.facilitatorUrl ?? ''),
      card({ title: 'Who vouches for it', id: 'trust' }, vouching(listing, now)),
      card(
        { title: 'Latest payments', id: 'payments', isFlush: true },
        paymentsTable({
          caption: 'Newest payments for this listing',
          payments,
          now,
          empty: 'No payment for this listing was observed.',
        }),
      ),
      card(
        { title: 'Versions', id: 'versions', isFlush: true },
        versionsTable(versions, listing, now),
      ),
    ],
  }
}

function head(listing: CatalogListing): VNode {
  const { svc, resource, description, state, lastOutcome } = listing
  const [own] = svc.listings
  const shown = shownResource(resource)
  return h(
    'header',
    { class: 'payment-head' },
    h(
      'p',
      { class: 'eyebrow' },
      'Listing',
      h(
        'span',
        { class: 'tags' },
        kindTag(listing),
        own && h('span', { class: 'tag' }, networkOf(own.network)),
        trustTag(svc.trust),
        state !== 'published' && h('span', { class: 'tag warn' }, state),
      ),
    ),
    h('h1', null, h('bdi', null, nameOf(listing))),
    h(
      'p',
      { class: 'mono page-address' },
      h('bdi', null, shown),
      copyButton(shown, 'the address of the call'),
    ),
    description && h('p', { class: 'payment-sentence' }, h('bdi', null, visibleText(description))),
    state !== 'published' &&
      h(
        'p',
        { class: 'notice' },
        'It is in no list and no search now. ',
        lastOutcome.reason && visibleText(lastOutcome.reason),
      ),
    own &&
      h(
        'p',
        null,
        'Sold by ',
        address(own.owner, {
          label: 'Seller',
          href: isNetworkId(own.network)
            ? linkTo.seller(own.owner, { network: own.network })
            : undefined,
        }),
        ', ',
        h('a', { href: linkTo.catalog({ payTo: own.owner }) }, 'all that it sells'),
      ),
  )
}

const networkOf = (network: string): string =>
  isNetworkId(network) ? networkName(network) : visibleText(network)

function figures({ svc }: CatalogListing, now: number, days: readonly number[]): VNode {
  const [own] = svc.listings
  return stats([
    { label: 'Settlements', value: readableCount(svc.settlements), href: '#payments' },
    { label: `Last ${days.length} days`, value: activity(days, 'activity large') },
    ...(own
      ? [
          { label: 'Listed', value: time(own.firstCataloged, now) },
          { label: 'Version', value: String(own.version), href: '#versions' },
        ]
      : []),
  ])
}
