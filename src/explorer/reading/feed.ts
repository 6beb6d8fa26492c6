import { Fault } from '../../platform/core/errors/faults.ts'
import type { Db } from '../../platform/database/schema.ts'
import type { FeedFilters } from '../reads.ts'
import type { Feed } from '../records.ts'
import { readFeed } from '../store/feed/read-feed.ts'
import { readCursor, writeCursor } from './cursor.ts'
import { paymentRecord } from './payment-record.ts'

/** A page of the feed. Throws the fault `explorer_invalid_query` for a cursor that no page had. */
export async function feedPage(
  db: Db,
  filters: FeedFilters,
  { limit, cursor }: { readonly limit: number; readonly cursor?: string },
): Promise<Feed> {
  const after = cursor === undefined ? undefined : keyOf(cursor)
  const found = await readFeed(db, filters, { limit: limit + 1, after })
  const page = found.slice(0, limit)
  const last = page.at(-1)
  return {
    items: page.map(paymentRecord),
    ...(found.length > limit && last && { nextCursor: writeCursor(last) }),
  }
}

function keyOf(cursor: string) {
  const key = readCursor(cursor)
  if (key) return key
  throw new Fault('explorer_invalid_query', {
    reason: 'the parameter cursor must be the nextCursor of the page before',
    details: { parameter: 'cursor', value: cursor.slice(0, MAX_VALUE) },
  })
}

/** A value that the caller chose is cut short in the answer. */
const MAX_VALUE = 100
