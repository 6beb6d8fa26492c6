import { h, type VNode } from 'preact'
import type { CatalogItem, CatalogSearch } from '../../../../buying/client/catalog-types.ts'
import { card } from '../../components/card.ts'
import { pageHead } from '../../components/page-head.ts'
import { pager, readOffset } from '../../components/pager.ts'
import type { PageDeps } from '../../deps.ts'
import { counted } from '../../format/count.ts'
import { visibleText } from '../../format/visible-text.ts'
import { type CatalogQuery, linkTo } from '../../links.ts'
import type { Page, PageRequest } from '../../page.ts'
import { showsNetworkOf } from '../../serving/shows-network.ts'
import { askCatalog } from './ask-catalog.ts'
import { filterChips, searchForm } from './filter-form.ts'
import { type CatalogFilters, readFilters } from './filters.ts'
import { resultsTable } from './results-table.ts'

const PAGE_SIZE = 20

/** What a page of the catalog shows: of a question the best results, else all listings. */
interface Found {
  readonly title: string
  readonly items: readonly CatalogItem[]
  readonly notes: readonly (VNode | false)[]
  readonly pages: VNode | false
}

/** A question and filters, and the listings of the catalog that answer them. */
export async function catalogPage(request: PageRequest, deps: PageDeps): Promise<Page> {
  const { q: question } = request.query
  const filters = readFilters(request)
  const found = await (question === undefined
    ? list(request, deps, filters)
    : search(question, request, deps, filters))
  const ids = found.items.flatMap(({ svc }) => svc.listings.map(({ id }) => id))
  const activity = await deps.reads.listingActivity(ids)
  return {
    title: question === undefined ? 'Catalog' : `${visibleText(question)} · Catalog`,
    section: 'catalog',
    description:
      'HTTP calls and tools that are paid with x402 on Stellar, with prices and sellers.',
    body: [
      pageHead(
        'Catalog',
        'Calls and tools that are paid for with x402. Each listed itself by a payment; names and descriptions are the words of sellers.',
      ),
      searchForm(question, filters),
      filterChips({ ...filters, q: question }),
      ...found.notes,
      card(
        { title: found.title, id: 'listings', isFlush: true },
        resultsTable({
          items: found.items,
          activity,
          showsNetwork: showsNetworkOf(deps.networks, request),
          empty: emptyWords(question, filters),
        }),
        found.pages,
      ),
    ],
  }
}

async function list(request: PageRequest, deps: PageDeps, filters: CatalogFilters): Promise<Found> {
  const { asOf } = request.query
  const offset = readOffset(request.query['offset'])
  const asked = { ...filters, limit: PAGE_SIZE, offset, ...(asOf !== undefined && { asOf }) }
  const { items, pagination } = await askCatalog(deps, request, (catalog, options) =>
    catalog.resources(asked, options),
  )
  const here = (to: number) => linkTo.catalog({ ...filters, offset: to, asOf: pagination.asOf })
  return {
    title: `${counted(pagination.total, 'listing')}, first published first`,
    items,
    notes: [],
    pages: pager(pagination, here),
  }
}

async function search(
  question: string,
  request: PageRequest,
  deps: PageDeps,
  filters: CatalogFilters,
): Promise<Found> {
  const { cursor } = request.query
  const asked = {
    ...filters,
    query: question,
    limit: PAGE_SIZE,
    ...(cursor !== undefined && { cursor }),
  }
  const { resources, pagination, svc } = await askCatalog(deps, request, (catalog, options) =>
    catalog.search(asked, options),
  )
  return {
    title: resources.length === 0 ? 'No match' : 'Best matches first',
    items: resources,
    notes: [recognised(svc), unsure(svc, resources)],
    pages: searchPages({ ...filters, q: question }, pagination.cursor, cursor !== undefined),
  }
}

/** The conditions that the search took out of the words of the question. */
const recognised = ({ recognised: conditions }: CatalogSearch['svc']): VNode | false =>
  conditions.length > 0 &&
  h(
    'p',
    { class: 'soft' },
    'Conditions in your question: ',
    conditions.map((each) => h('code', { key: each }, visibleText(each))),
  )

const unsure = (
  { lowConfidence }: CatalogSearch['svc'],
  resources: CatalogSearch['resources'],
): VNode | false =>
  lowConfidence === true &&
  resources.length > 0 &&
  h(
    'p',
    { class: 'notice' },
    'These are the nearest listings there are. They may not be what you asked for.',
  )

const searchPages = (here: CatalogQuery, next: string | null, isLater: boolean): VNode | false =>
  (next !== null || isLater) &&
  h(
    'nav',
    { class: 'pager', 'aria-label': 'Pages' },
    isLater && h('a', { class: 'button quiet small', href: linkTo.catalog(here) }, 'First page'),
    next !== null &&
      h(
        'a',
        { class: 'button quiet small', href: linkTo.catalog({ ...here, cursor: next }) },
        'More results',
      ),
  )

function emptyWords(question: string | undefined, filters: CatalogFilters): string {
  const { network: _network, ...others } = filters
  const isFiltered = Object.keys(others).length > 0
  if (question !== undefined)
    return isFiltered
      ? 'Nothing in the catalog answers this under these filters.'
      : 'Nothing in the catalog answers this. Ask in other words.'
  return isFiltered
    ? 'No listing meets these filters.'
    : 'Nothing is listed yet. A resource lists itself with its first payment.'
}
