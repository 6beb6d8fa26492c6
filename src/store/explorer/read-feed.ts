import type { Db } from '../schema.ts'
import { mergeRanges } from './merge-ranges.ts'
import { MAX_POSITION } from './position.ts'
import { type PaymentFilters, readFeedRanges } from './read-feed-ranges.ts'
import { type FeedKey, readAllPayments, readRanges, type StoredPayment } from './read-feed-rows.ts'
import { inSnapshot } from './read-snapshot.ts'

/**
 * The newest payments with these properties, newest first, behind `after` if it is given. Any filters are a merge of
 * few index ranges: nothing is folded or sorted but the page.
 */
export async function readFeed(
  db: Db,
  filters: PaymentFilters,
  page: { readonly limit: number; readonly after: FeedKey | undefined },
): Promise<readonly StoredPayment[]> {
  const { limit, after } = page
  const isFiltered = Object.values(filters).some((value) => value !== undefined)
  if (!isFiltered) return readAllPayments(db, after, limit)
  return inSnapshot(db, async (snapshot) => {
    const { ranges, ...addresses } = await readFeedRanges(
      snapshot,
      filters,
      after?.position ?? MAX_POSITION,
    )
    return mergeRanges(ranges, page, (starts, size) =>
      readRanges(snapshot, starts, addresses, size),
    )
  })
}
