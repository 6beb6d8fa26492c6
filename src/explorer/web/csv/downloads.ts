import { z } from 'zod'
import { type Window, windows } from '../../store/tables.ts'
import type { PageDeps } from '../deps.ts'
import { type Download, PageRefusal, type PageRequest } from '../page.ts'
import { readFilters } from '../views/feed/filters.ts'
import { type Columns, facilitatorColumns, paymentColumns, sellerColumns } from './columns.ts'
import { csvText, type Part } from './csv-text.ts'

/** Rows of one read: few reads, and little of a file in memory. */
const PART_ROWS = 500

type Reads = Pick<PageDeps, 'reads'>

/** The payments that the page of the same filters shows, newest first. */
export async function paymentsCsv({ query }: PageRequest, { reads }: Reads): Promise<Download> {
  const filters = readFilters(query)
  return download('payments.csv', paymentColumns, payments())

  async function* payments() {
    let cursor: string | undefined
    do {
      const page = await reads.feed(filters, { limit: PART_ROWS, ...(cursor && { cursor }) })
      cursor = page.nextCursor
      yield { rows: page.items, hasMore: cursor !== undefined }
    } while (cursor !== undefined)
  }
}

/** The sellers that the page of the same filters shows, most payments first. */
export function sellersCsv({ query, network }: PageRequest, { reads }: Reads): Promise<Download> {
  const filters = { ...readTableFilters(query), ...(network && { network }) }
  return download('sellers.csv', sellerColumns, sellers())

  async function* sellers() {
    let offset = 0
    let hasMore = true
    while (hasMore) {
      const { items, pagination } = await reads.sellers({ ...filters, limit: PART_ROWS, offset })
      offset += items.length
      hasMore = items.length > 0 && offset < pagination.total
      yield { rows: items, hasMore }
    }
  }
}

/** Every facilitator, and the payments that none is known of. */
export function facilitatorsCsv({ network }: PageRequest, { reads }: Reads): Promise<Download> {
  return download('facilitators.csv', facilitatorColumns, facilitators())

  async function* facilitators() {
    yield { rows: await reads.facilitators(network), hasMore: false }
  }
}

/**
 * The text is read while the file is sent; its first part before, so that a database that cannot answer is told by a page,
 * not by a broken file.
 */
async function download<Row>(
  fileName: string,
  columns: Columns<Row>,
  parts: AsyncIterable<Part<Row>>,
): Promise<Download> {
  const text = csvText(columns, parts)
  const first = await text.next()
  return { fileName, contentType: 'text/csv; charset=utf-8; header=present', text: whole() }

  async function* whole() {
    if (first.done) return
    yield first.value
    yield* text
  }
}

const window = z.enum(windows as [Window, ...Window[]])

/** Reads the filters of the page of sellers. Throws `PageRefusal` for a value that it does not have. */
function readTableFilters(query: PageRequest['query']): {
  readonly window?: Window
  readonly registered?: boolean
} {
  const { window: length, registered } = query
  const read = window.optional().safeParse(length)
  if (!read.success) throw refusal('window', windows.join(', '))
  if (registered !== undefined && registered !== 'true' && registered !== 'false') {
    throw refusal('registered', 'true, false')
  }
  return {
    ...(read.data && { window: read.data }),
    ...(registered !== undefined && { registered: registered === 'true' }),
  }
}

const refusal = (name: string, values: string): PageRefusal =>
  new PageRefusal(
    400,
    'This filter cannot match',
    `The filter ${name} must be one of ${values}. Correct it or remove it.`,
  )
