import type { VNode } from 'preact'
import type { SellerEntry } from '../../../records.ts'
import { card } from '../../components/card.ts'
import { choice } from '../../components/choice.ts'
import { pageHead } from '../../components/page-head.ts'
import { pager, readOffset } from '../../components/pager.ts'
import { csvLink } from '../../components/tables/csv-link.ts'
import { dataTable } from '../../components/tables/data-table.ts'
import type { PageDeps } from '../../deps.ts'
import { counted } from '../../format/count.ts'
import { linkTo, pagePaths } from '../../links.ts'
import { type Page, PageRefusal, type PageRequest } from '../../page.ts'
import { showsNetworkOf } from '../../serving/shows-network.ts'
import { readSpan, type Span, spanChoices, spanWords } from '../../window.ts'
import { sellerColumns } from './seller-columns.ts'

const PAGE_SIZE = 50

/** Sellers by their payments in a window, most first. */
export async function sellersPage(
  { query, network, now }: PageRequest,
  { reads, networks }: PageDeps,
): Promise<Page> {
  const span = readSpan(query['window'], 'all')
  const registered = readRegistered(query['registered'])
  const offset = readOffset(query['offset'])
  const window = span === 'all' ? undefined : span
  const { items, pagination } = await reads.sellers({
    ...(network && { network }),
    ...(window && { window }),
    ...(registered !== undefined && { registered }),
    limit: PAGE_SIZE,
    offset,
  })
  const here = { network, window, registered }
  return {
    title: 'Sellers',
    section: 'sellers',
    body: [
      pageHead(
        'Sellers',
        'Every address that was paid through x402, and every seller that is registered in a catalog. Most payments first.',
        choice(
          'Registration',
          registrations.map(({ label, value }) => ({
            label,
            href: linkTo.sellers({ ...here, registered: value }),
            isChosen: value === registered,
          })),
        ),
        choice('Window', windowChoices(span, here)),
      ),
      card(
        {
          title: `${counted(pagination.total, 'seller')}, ${spanWords[span]}`,
          id: 'sellers',
          isFlush: true,
          aside: csvLink(pagePaths.sellers, here),
        },
        sellersTable(items, {
          now,
          showsNetwork: showsNetworkOf(networks, { network }),
          span,
          empty: registered === undefined ? noSeller(span) : 'No seller matches.',
        }),
        pager(pagination, (to) => linkTo.sellers({ ...here, offset: to })),
      ),
    ],
  }
}

const registrations = [
  { label: 'All', value: undefined },
  { label: 'Registered', value: true },
  { label: 'Not registered', value: false },
] as const

const windowChoices = (span: Span, here: Parameters<typeof linkTo.sellers>[0]) =>
  spanChoices(span, (each) =>
    linkTo.sellers({ ...here, window: each === 'all' ? undefined : each }),
  )

function readRegistered(text: string | undefined): boolean | undefined {
  if (text === undefined) return undefined
  if (text === 'true' || text === 'false') return text === 'true'
  throw new PageRefusal(
    400,
    'Unknown filter',
    'The filter registered must be true or false.',
    'registered',
  )
}

interface SellersTableOptions {
  readonly now: number
  readonly showsNetwork: boolean
  readonly span: Span
  readonly empty: string
}

const noSeller = (span: Span): string =>
  span === 'all'
    ? 'No seller is known yet: nobody was paid, and no catalog names one.'
    : `Nobody was paid in the ${spanWords[span]}, and no catalog names a seller.`

const sellersTable = (
  sellers: readonly SellerEntry[],
  { now, showsNetwork, span, empty }: SellersTableOptions,
): VNode =>
  dataTable<SellerEntry>({
    caption: `Sellers by payments, ${spanWords[span]}`,
    rows: sellers,
    keyOf: ({ network, payTo }) => `${network}/${payTo}`,
    empty,
    columns: sellerColumns<SellerEntry>({
      now,
      showsNetwork,
      lastPaymentOf: ({ lastSeenAt }) => lastSeenAt,
    }),
  })
