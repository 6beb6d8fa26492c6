import { h, type VNode } from 'preact'
import { addressKind, baseAddress } from '../../../../stellar/accounts/strkey.ts'
import type { AddressRoles, FeedFilters } from '../../../reads.ts'
import type { Feed } from '../../../records.ts'
import { card } from '../../components/card.ts'
import { paymentsTable } from '../../components/tables/payments-table.ts'
import { address } from '../../components/values/address.ts'
import type { PageDeps } from '../../deps.ts'
import { linkTo } from '../../links.ts'
import { type Page, PageRefusal, type PageRequest, type Redirect } from '../../page.ts'

const PAGE_SIZE = 25

/** The roles of one address, and its payments as buyer and as seller. */
export async function addressPage(
  { params, network, now }: PageRequest,
  { reads, networks }: Pick<PageDeps, 'reads' | 'networks'>,
): Promise<Page | Redirect> {
  const text = params['address'] ?? ''
  const kind = addressKind(text)
  if (kind === undefined) throw noAddress
  if (kind === 'muxed') return { location: linkTo.address(baseAddress(text)) }
  const roles = await reads.roles(text)
  if (!isObserved(roles)) throw notObserved
  const ofNetwork = network ? { network } : {}
  const payments = (filters: FeedFilters) =>
    reads.feed({ ...filters, ...ofNetwork }, { limit: PAGE_SIZE })
  const [bought, sold] = await Promise.all([
    roles.isBuyer ? payments({ buyer: text }) : undefined,
    roles.isSeller ? payments({ seller: text }) : undefined,
  ])
  const table = (id: string, title: string, feed: Feed, filters: FeedFilters): VNode =>
    card(
      {
        id,
        title,
        isFlush: true,
        aside:
          feed.nextCursor && h('a', { href: linkTo.payments({ ...filters, ...ofNetwork }) }, 'All'),
      },
      paymentsTable({
        caption: `${title}, newest first`,
        payments: feed.items,
        now,
        showsNetwork: networks.length > 1 && network === undefined,
        empty: 'None on this network.',
      }),
    )
  return {
    title: `Address ${text.slice(0, 4)}…${text.slice(-4)}`,
    body: [
      h('h1', null, kind === 'contract' ? 'Contract' : 'Account'),
      h('p', { class: 'page-address' }, address(text, { label: 'Address', isWhole: true })),
      h('ul', { class: 'roles' }, rolesOf(text, roles)),
      bought && table('bought', 'Payments as buyer', bought, { buyer: text }),
      sold && table('sold', 'Payments as seller', sold, { seller: text }),
    ],
  }
}

const isObserved = ({ isBuyer, isSeller, isAsset, facilitator }: AddressRoles): boolean =>
  isBuyer || isSeller || isAsset || facilitator !== undefined

function rolesOf(text: string, roles: AddressRoles): VNode[] {
  const { isBuyer, isSeller, isAsset, facilitator } = roles
  const items: (readonly [string, string, string] | false)[] = [
    isBuyer && ['Buyer', linkTo.payments({ buyer: text }), 'It paid for services.'],
    isSeller && ['Seller', linkTo.seller(text), 'It was paid, or a catalog lists it.'],
    facilitator !== undefined && [
      `Signer of ${facilitator}`,
      linkTo.facilitator(facilitator),
      'A facilitator submits payments with it.',
    ],
    isAsset && ['Asset', linkTo.asset(text), 'Payments were made in it.'],
  ]
  return items.flatMap((item) => {
    if (!item) return []
    const [label, href, meaning] = item
    return [
      h(
        'li',
        { key: label },
        h('a', { href }, h('bdi', null, label)),
        ' ',
        h('span', null, meaning),
      ),
    ]
  })
}

const noAddress = new PageRefusal(
  404,
  'This is no address',
  'An address is G or C and 55 more characters, or M and 68, and its last characters check the others. Copy it again ' +
    'from where you found it.',
)

const notObserved = new PageRefusal(
  404,
  'This address is in no payment that was observed',
  'It is a valid address, but no x402 payment that the explorer has read names it as buyer, seller, asset or facilitator.',
)
