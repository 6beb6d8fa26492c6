import { h } from 'preact'
import { paymentsTable } from '../components/payments-table.ts'
import type { PageDeps } from '../deps.ts'
import { linkTo } from '../links.ts'
import type { Page, PageRequest } from '../page.ts'
import { readFilters } from './filters.ts'

const PAGE_SIZE = 50

/** Payments, newest first, with any filters. */
export async function feedPage(
  { query, now }: PageRequest,
  { reads, networks }: PageDeps,
): Promise<Page> {
  const filters = readFilters(query)
  const { cursor } = query
  const { items, nextCursor } = await reads.feed(filters, {
    limit: PAGE_SIZE,
    ...(cursor !== undefined && { cursor }),
  })
  return {
    title: 'Payments',
    section: 'payments',
    body: [
      h('h1', null, 'Payments'),
      paymentsTable({
        caption: 'Payments, newest first',
        payments: items,
        now,
        showsNetwork: networks.length > 1 && filters.network === undefined,
        empty: 'No payment matches.',
      }),
      nextCursor &&
        h(
          'a',
          { class: 'button quiet', href: linkTo.payments({ ...filters, cursor: nextCursor }) },
          'Older payments',
        ),
    ],
  }
}
