import { h } from 'preact'
import type { FacilitatorShare } from '../../../records.ts'
import { card } from '../../components/card.ts'
import { liveControls } from '../../components/live-controls.ts'
import { pageHead } from '../../components/page-head.ts'
import { csvLink } from '../../components/tables/csv-link.ts'
import { paymentsTable } from '../../components/tables/payments-table.ts'
import type { PageDeps } from '../../deps.ts'
import { exactTime } from '../../format/time.ts'
import { visibleText } from '../../format/visible-text.ts'
import { linkTo, pagePaths } from '../../links.ts'
import { liveLink } from '../../live/live-link.ts'
import { MOST_LIVE_ROWS } from '../../live/live-tail.ts'
import type { Page, PageRequest } from '../../page.ts'
import { showsNetworkOf } from '../../serving/shows-network.ts'
import { timeOfCursor } from './before-time.ts'
import { filterChips, filterForm, type NamedFacilitator } from './filter-form.ts'
import { readFilters } from './filters.ts'

const PAGE_SIZE = 50
/** Payments, newest first, with any filters. Its first page updates by itself. */
export async function feedPage(
  { query, now }: PageRequest,
  { reads, networks }: PageDeps,
): Promise<Page> {
  const filters = readFilters(query)
  const { cursor } = query
  // The marks first: a payment that comes between the two reads is then shown twice, and the script leaves out one.
  const { marks } = await reads.newPayments(undefined, 0)
  const [{ items, nextCursor }, shares] = await Promise.all([
    reads.feed(filters, { limit: PAGE_SIZE, ...(cursor !== undefined && { cursor }) }),
    reads.facilitators(),
  ])
  const facilitators = shares.flatMap(named)
  const isFirst = cursor === undefined
  const before = cursor && timeOfCursor(cursor)
  const hasFilters = Object.keys(filters).some((name) => name !== 'network')
  return {
    title: 'Payments',
    section: 'payments',
    body: [
      pageHead(
        'Payments',
        before
          ? `Those before ${exactTime(before)}, newest first.`
          : 'Every x402 payment that was observed, newest first.',
        isFirst
          ? liveControls()
          : h(
              'a',
              { class: 'button quiet small', href: linkTo.payments(filters) },
              'Newest payments',
            ),
      ),
      h(
        'div',
        { class: 'filter-bar' },
        filterForm({ filters, facilitators }),
        filterChips(filters, facilitators),
      ),
      card(
        {
          title: hasFilters ? 'Payments that match' : 'All payments',
          id: 'payments',
          isFlush: true,
          aside: csvLink(pagePaths.payments, { ...filters }),
        },
        paymentsTable({
          caption: 'Payments, newest first',
          payments: items,
          now,
          showsNetwork: showsNetworkOf(networks, filters),
          empty: hasFilters
            ? 'No payment matches these filters.'
            : 'No payment was observed yet. The next one appears here by itself.',
          ...(isFirst && { live: { url: liveLink(filters, marks), most: MOST_LIVE_ROWS } }),
        }),
        nextCursor !== undefined &&
          h(
            'nav',
            { class: 'pager', 'aria-label': 'Pages' },
            h(
              'a',
              {
                class: 'button quiet small',
                rel: 'next',
                href: linkTo.payments({ ...filters, cursor: nextCursor }),
              },
              'Older payments',
            ),
          ),
      ),
    ],
  }
}

const named = ({ facilitatorId, displayName }: FacilitatorShare): readonly NamedFacilitator[] =>
  facilitatorId === null
    ? []
    : [{ id: facilitatorId, name: visibleText(displayName ?? '') || facilitatorId }]
