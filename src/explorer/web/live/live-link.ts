import type { FeedFilters, FeedMarks } from '../../reads.ts'
import { pagePaths, withQuery } from '../links.ts'
import { writeMarks } from './marks.ts'

/** Where a page that shows the payments up to these marks gets those that follow. */
export const liveLink = (filters: FeedFilters, marks: FeedMarks): string =>
  withQuery(pagePaths.live, { ...filters, after: writeMarks(marks) })
