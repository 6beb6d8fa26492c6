import type { Db } from '../../../platform/database/schema.ts'
import { mergeRanges } from '../ingest/merge-ranges.ts'
import { MAX_POSITION } from '../ingest/position.ts'
import { type PaymentDetail, readDetails } from '../payments/read-payment-details.ts'
import { inSnapshot } from '../stats/read-snapshot.ts'
import { type PageQuery, readFeedPage } from './read-feed-page.ts'
import { type PaymentFilters, readFeedRanges } from './read-feed-ranges.ts'
import { readRanges, type StoredPayment } from './read-feed-rows.ts'

/**
 * The newest payments with these properties, newest first, behind `after` if it is given. Any filters are a merge of
 * few index ranges: nothing is folded or sorted but the page.
 */
export async function readFeed(
  db: Db,
  filters: PaymentFilters,
  page: PageQuery,
): Promise<readonly PaymentDetail[]> {
  return (
    (await readFeedPage(db, filters, page)) ??
    (await readDetails(db, await mergeManyRanges(db, filters, page)))
  )
}

/** A page of so many ranges that several statements read it. */
const mergeManyRanges = (
  db: Db,
  filters: PaymentFilters,
  page: PageQuery,
): Promise<readonly StoredPayment[]> =>
  inSnapshot(db, async (snapshot) => {
    const { ranges, ...addresses } = await readFeedRanges(
      snapshot,
      filters,
      page.after?.position ?? MAX_POSITION,
    )
    return mergeRanges(ranges, page, (starts, size) =>
      readRanges(snapshot, starts, addresses, size),
    )
  })
