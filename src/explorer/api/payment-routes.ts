import { Fault } from '../../platform/core/errors/faults.ts'
import { explorerPaths } from '../../platform/core/http-paths.ts'
import type { ExplorerReads } from '../reads.ts'
import { feedSchema, paymentRecordSchema } from '../records.ts'
import { explorerRoute } from './explorer-route.ts'
import { feedParameters, noParameters, paymentPath } from './parameters.ts'
import { present } from './present.ts'
import { type ReadServer, serveRead } from './serve-read.ts'

const DEFAULT_LIMIT = 25
/** A ledger closes every five seconds. */
const NEWEST_SECONDS = 2
/** Older payments change only when ledgers are read late, or a facilitator becomes known. */
const OLDER_SECONDS = 60

export const feedRoute = explorerRoute({
  id: 'feed',
  path: explorerPaths.feed,
  summary: 'Payments, newest first; filters combine with AND',
  pathParameters: noParameters,
  query: feedParameters,
  answer: { name: 'Feed', schema: feedSchema },
  describes: 'A page; without `nextCursor` it is the last one',
})

export const paymentRoute = explorerRoute({
  id: 'payment',
  path: explorerPaths.payment,
  summary: 'The payment of a transaction',
  pathParameters: paymentPath,
  query: noParameters,
  faults: ['explorer_tx_not_found'],
  answer: { name: 'Payment', schema: paymentRecordSchema },
  describes: 'The payment',
})

export function exposePayments(server: ReadServer, reads: ExplorerReads): void {
  serveRead(
    server,
    feedRoute,
    async ({ query: { limit = DEFAULT_LIMIT, cursor, ...filters } }) => ({
      answer: await reads.feed(present(filters), {
        limit,
        ...(cursor !== undefined && { cursor }),
      }),
      seconds: cursor === undefined ? NEWEST_SECONDS : OLDER_SECONDS,
    }),
  )
  serveRead(server, paymentRoute, async ({ path: { hash } }) => {
    const answer = await reads.payment(hash)
    if (!answer) throw new Fault('explorer_tx_not_found')
    return { answer, seconds: OLDER_SECONDS }
  })
}
