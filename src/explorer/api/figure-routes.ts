import { explorerPaths } from '../../platform/core/http-paths.ts'
import type { ExplorerReads } from '../reads.ts'
import { ecosystemSchema, statsSchema, timeseriesSchema } from '../records.ts'
import { explorerRoute } from './explorer-route.ts'
import {
  networkParameters,
  noParameters,
  statsParameters,
  timeseriesParameters,
} from './parameters.ts'
import { present } from './present.ts'
import { invalidQuery, type ReadServer, serveRead } from './serve-read.ts'

const STATS_SECONDS = 5
const ECOSYSTEM_SECONDS = 15
const DEFAULT_DAYS = 30
const DEFAULT_HOURS = 48
/** Hours of single sellers are kept as long as the longest window. */
const MAX_SELLER_DAYS = 30

export const statsRoute = explorerRoute({
  id: 'stats',
  path: explorerPaths.stats,
  summary: 'Headline numbers, and how far the ledger was read',
  pathParameters: noParameters,
  query: statsParameters,
  answer: { name: 'Stats', schema: statsSchema },
  describes: 'At most 5 seconds old',
})

export const ecosystemRoute = explorerRoute({
  id: 'ecosystem',
  path: explorerPaths.ecosystem,
  summary: 'Totals, trailing windows, facilitators with their shares, and the most active sellers',
  pathParameters: noParameters,
  query: networkParameters,
  answer: { name: 'Ecosystem', schema: ecosystemSchema },
  describes: 'At most 15 seconds old',
})

export const timeseriesRoute = explorerRoute({
  id: 'timeseries',
  path: explorerPaths.timeseries,
  summary: 'Payments by day or hour of UTC',
  pathParameters: noParameters,
  query: timeseriesParameters,
  answer: { name: 'Timeseries', schema: timeseriesSchema },
  describes: 'One point for each bucket',
})

export function exposeFigures(server: ReadServer, reads: ExplorerReads): void {
  serveRead(server, statsRoute, async ({ query }) => ({
    answer: await reads.stats(present(query)),
    seconds: STATS_SECONDS,
  }))
  serveRead(server, ecosystemRoute, async ({ query: { network } }) => ({
    answer: await reads.ecosystem(network),
    seconds: ECOSYSTEM_SECONDS,
  }))
  serveRead(
    server,
    timeseriesRoute,
    async ({ query: { bucket = 'day', days, hours, ...rest } }) => {
      const [other, unused] = bucket === 'day' ? ['hours', hours] : ['days', days]
      if (unused !== undefined) {
        throw invalidQuery({
          reason: `the parameter ${other} must not be given with bucket=${bucket}`,
          parameter: other,
          value: String(unused),
        })
      }
      const count = bucket === 'day' ? (days ?? DEFAULT_DAYS) : (hours ?? DEFAULT_HOURS)
      if (rest.seller !== undefined && bucket === 'day' && count > MAX_SELLER_DAYS) {
        throw invalidQuery({
          reason: `the parameter days must be at most ${MAX_SELLER_DAYS} with seller`,
          parameter: 'days',
          value: String(count),
        })
      }
      return {
        answer: await reads.timeseries({ ...present(rest), bucket, count }),
        seconds: ECOSYSTEM_SECONDS,
      }
    },
  )
}
