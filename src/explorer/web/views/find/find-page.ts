import { h, type VNode } from 'preact'
import type { FoundSeller } from '../../../reads.ts'
import { card } from '../../components/card.ts'
import { dataTable } from '../../components/tables/data-table.ts'
import { address } from '../../components/values/address.ts'
import { networkName } from '../../components/values/network.ts'
import type { PageDeps } from '../../deps.ts'
import { counted, readableCount } from '../../format/count.ts'
import { visibleText } from '../../format/visible-text.ts'
import { linkTo } from '../../links.ts'
import type { Page, PageRequest, Redirect } from '../../page.ts'
import { readQuery, type Sought } from './read-query.ts'

const MAX_FOUND = 50

type Deps = Pick<PageDeps, 'reads'>

/** Leads to the page of what was typed or pasted into the search box; says what may be typed when it finds nothing. */
export async function findPage(
  { query, network }: PageRequest,
  deps: Deps,
): Promise<Page | Redirect> {
  const text = query['q']
  if (text === undefined)
    return helpPage('Search', 'Type what you look for into the search box.', 200)
  const sought = readQuery(text)
  switch (sought.kind) {
    case 'payment':
      return (await deps.reads.payment(sought.txHash))
        ? { location: linkTo.payment(sought.txHash) }
        : notFound(
            'No payment of this transaction is known',
            'If it is only seconds old, search again: the explorer may not have read its ledger yet.',
          )
    case 'address':
      return findAddress(sought.address, deps)
    case 'mistyped':
      return notFound(
        'This is not quite an address',
        'It looks like one, but its last characters do not fit to the others. Copy it again from where you found it.',
      )
    case 'name':
      return findName(sought, network, deps)
  }
}

async function findAddress(text: string, { reads }: Deps): Promise<Page | Redirect> {
  const { isAsset, isBuyer, isSeller, facilitator } = await reads.roles(text)
  const onlyAsset = isAsset && !isBuyer && !isSeller && facilitator === undefined
  if (onlyAsset) return { location: linkTo.asset(text) }
  if (isAsset || isBuyer || isSeller || facilitator !== undefined) {
    return { location: linkTo.address(text) }
  }
  return notFound(
    'This address is in no payment that was observed',
    'It is a valid address, but no x402 payment that the explorer has read names it as buyer, seller, asset or facilitator.',
  )
}

async function findName(
  { text }: Extract<Sought, { kind: 'name' }>,
  network: PageRequest['network'],
  { reads }: Deps,
): Promise<Page | Redirect> {
  if (text === '') return notFound('Nothing has this name', 'It has no visible character.')
  const facilitator = await findFacilitator(text, reads)
  if (facilitator !== undefined) return { location: linkTo.facilitator(facilitator) }
  const found = await reads.findSellers(text, { limit: MAX_FOUND, ...(network && { network }) })
  const [only] = found
  if (only === undefined) {
    return notFound(
      'Nothing has this name',
      'No facilitator and no seller in a catalog is named so.',
    )
  }
  if (found.length === 1) return { location: linkTo.seller(only.payTo, { network: only.network }) }
  return foundPage(text, found)
}

/** By its id, or by the name that it shows if that is of one only. */
async function findFacilitator(text: string, reads: Deps['reads']): Promise<string | undefined> {
  const wanted = text.toLowerCase()
  const all = await reads.facilitators()
  const byId = all.find(({ facilitatorId }) => facilitatorId?.toLowerCase() === wanted)
  if (byId?.facilitatorId) return byId.facilitatorId
  const byName = all.filter(({ displayName }) => displayName?.toLowerCase() === wanted)
  return byName.length === 1 ? (byName[0]?.facilitatorId ?? undefined) : undefined
}

const foundPage = (text: string, found: readonly FoundSeller[]): Page => ({
  title: 'Search',
  section: 'sellers',
  body: [
    h('h1', null, 'Sellers named ', h('bdi', null, `“${visibleText(text)}”`)),
    h(
      'p',
      { class: 'soft' },
      found.length === MAX_FOUND
        ? `The ${MAX_FOUND} with most payments.`
        : counted(found.length, 'seller'),
    ),
    card(
      { title: 'Sellers', id: 'sellers', isFlush: true },
      dataTable<FoundSeller>({
        caption: 'Sellers with this name, most payments first',
        rows: found,
        keyOf: ({ network, payTo }) => `${network}/${payTo}`,
        empty: 'None.',
        columns: [
          { label: 'Claimed by', name: 'seller', isRowHeader: true, cell: nameCell },
          {
            label: 'Address',
            cell: ({ payTo, network }) =>
              address(payTo, { label: 'Seller', href: linkTo.seller(payTo, { network }) }),
          },
          { label: 'Network', cell: ({ network }) => networkName(network) },
          { label: 'Payments', isNumber: true, cell: ({ payments }) => readableCount(payments) },
        ],
      }),
    ),
  ],
})

const nameCell = ({ serviceName, payTo, network }: FoundSeller): VNode =>
  h('a', { href: linkTo.seller(payTo, { network }) }, h('bdi', null, visibleText(serviceName)))

const notFound = (heading: string, sentence: string): Page => helpPage(heading, sentence, 404)

const helpPage = (heading: string, sentence: string, status: number): Page => ({
  title: heading,
  status,
  body: h(
    'div',
    { class: 'refusal' },
    h('h1', null, heading),
    h('p', null, sentence),
    h(
      'div',
      { class: 'search-help' },
      h('p', null, 'The search finds:'),
      h(
        'ul',
        null,
        searchable.map((each) => h('li', { key: each }, each)),
      ),
    ),
    h(
      'p',
      { class: 'actions' },
      h('a', { class: 'button', href: linkTo.payments() }, 'Latest payments'),
      h('a', { class: 'button quiet', href: linkTo.sellers() }, 'Sellers'),
    ),
  ),
})

const searchable = [
  'a transaction by its hash of 64 digits',
  'a buyer, a seller, an asset or a facilitator by its address (G…, C… or M…)',
  'either of them by a link to it, from this or another explorer',
  'a facilitator or a service in a catalog by its name',
] as const
