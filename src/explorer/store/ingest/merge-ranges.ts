import type { FeedRange } from '../feed/read-feed-ranges.ts'
import { compareInFeed, type FeedKey, type RangeStart } from '../feed/read-feed-rows.ts'

/**
 * How many rows one statement reads at most, unless there are more ranges. Reading so many takes Postgres about 2 ms;
 * nearly every feed has so few ranges that one statement reads them all.
 */
const ROWS_A_ROUND = 1_000

interface Progress {
  readonly range: FeedRange
  /** The last payment that was read. */
  last: FeedKey | undefined
}

/**
 * The first payments of many ranges together, in the order of the feed. Anybody may create assets, so that there can be
 * thousands of ranges: reading all of a page from each would cost too much. A round reads only from the ranges
 * that may still have a payment of the page, the latest first, and few rows of each while there are many.
 *
 * @param read the first `depth` payments of each range, of all these the first `limit`: a range with a payment behind
 *   them has nothing more for the page
 */
export async function mergeRanges<Payment extends FeedKey & { readonly kind: number }>(
  ranges: readonly FeedRange[],
  { limit, after }: { readonly limit: number; readonly after: FeedKey | undefined },
  read: (
    starts: readonly RangeStart[],
    size: { readonly depth: number; readonly limit: number },
  ) => Promise<readonly Payment[]>,
): Promise<readonly Payment[]> {
  let open: readonly Progress[] = ranges
    .map((range) => ({ range, last: undefined }))
    .sort((a, b) => Number(b.range.latest - a.range.latest))
  let merged: readonly Payment[] = []
  while (true) {
    const end = merged[limit - 1]
    open = open.filter((progress) => mayReach(progress, end))
    const batch = latestOf(open, limit)
    if (batch.length === 0) return merged
    const depth = Math.min(limit, Math.max(1, Math.floor(ROWS_A_ROUND / batch.length)))
    const starts = batch.map(({ range, last }) => ({
      ...range,
      after: last ?? startOf(range, after),
    }))
    const payments = await read(starts, { depth, limit })
    merged = [...merged, ...payments].sort(compareInFeed).slice(0, limit)
    const byKind = Map.groupBy(payments, ({ kind }) => kind)
    const exhausted = new Set<Progress>()
    for (const progress of batch) {
      const found = byKind.get(progress.range.kind) ?? []
      // Fewer: there are no more, or they are behind the page.
      if (found.length < depth) exhausted.add(progress)
      else progress.last = found.reduce((a, b) => (compareInFeed(a, b) > 0 ? a : b))
    }
    open = open.filter((progress) => !exhausted.has(progress))
  }
}

/** Whether a payment that was not read may be among those up to `end`. */
function mayReach({ range, last }: Progress, end: FeedKey | undefined): boolean {
  if (end === undefined) return true
  return last ? compareInFeed(last, end) < 0 : range.latest >= end.position
}

/**
 * The ranges to read next. `limit` of them are enough, as each has at least one payment. Ranges whose
 * `latest` equals that of the last one are read too: after a cursor it is only an upper bound, so any of them may be next.
 */
function latestOf(open: readonly Progress[], limit: number): readonly Progress[] {
  const started = open.filter(({ last }) => last !== undefined)
  if (started.length > 0) return started
  const least = open[limit - 1]?.range.latest
  return least === undefined ? open : open.filter(({ range }) => range.latest >= least)
}

/** The cursor is within the ranges that reach its position. */
const startOf = ({ latest }: FeedRange, after: FeedKey | undefined): FeedKey | undefined =>
  after && latest === after.position ? after : undefined
