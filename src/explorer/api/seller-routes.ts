import { explorerPaths } from '../../platform/core/http-paths.ts'
import type { ExplorerReads } from '../reads.ts'
import { sellerSchema, sellersSchema } from '../records.ts'
import { explorerRoute } from './explorer-route.ts'
import { networkParameters, noParameters, sellerPath, sellersParameters } from './parameters.ts'
import { present } from './present.ts'
import { type ReadServer, serveRead } from './serve-read.ts'

const DEFAULT_LIMIT = 25
const SECONDS = 5

export const sellersRoute = explorerRoute({
  id: 'sellers',
  path: explorerPaths.sellers,
  summary: 'Every address that was paid or is in a catalog, by payments',
  pathParameters: noParameters,
  query: sellersParameters,
  answer: { name: 'Sellers', schema: sellersSchema },
  describes: 'A page of the directory',
})

export const sellerRoute = explorerRoute({
  id: 'seller',
  path: explorerPaths.seller,
  summary: 'What an address was paid, and its newest 25 payments; /feed?seller= continues them',
  pathParameters: sellerPath,
  query: networkParameters,
  answer: { name: 'Seller', schema: sellerSchema },
  describes: 'The seller; zeros for an address that was never paid',
})

export function exposeSellers(server: ReadServer, reads: ExplorerReads): void {
  serveRead(
    server,
    sellersRoute,
    async ({ query: { limit = DEFAULT_LIMIT, offset = 0, ...filters } }) => ({
      answer: await reads.sellers({ ...present(filters), limit, offset }),
      seconds: SECONDS,
    }),
  )
  serveRead(server, sellerRoute, async ({ path: { payTo }, query: { network } }) => ({
    answer: await reads.seller(payTo, network),
    seconds: SECONDS,
  }))
}
