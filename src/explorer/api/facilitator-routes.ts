import { z } from 'zod'
import { Fault } from '../../platform/core/errors/faults.ts'
import { explorerPaths } from '../../platform/core/http-paths.ts'
import type { ExplorerReads } from '../reads.ts'
import { assetSchema, facilitatorSchema, facilitatorShareSchema } from '../records.ts'
import { explorerRoute } from './explorer-route.ts'
import { assetPath, facilitatorPath, networkParameters, noParameters } from './parameters.ts'
import { type ReadServer, serveRead } from './serve-read.ts'

const SECONDS = 15

const facilitatorsSchema = z.strictObject({
  items: z.array(facilitatorShareSchema).describe('Largest share first'),
})

export const facilitatorsRoute = explorerRoute({
  id: 'facilitators',
  path: explorerPaths.facilitators,
  summary:
    'Every facilitator of the registry, and the payments that no known facilitator submitted',
  pathParameters: noParameters,
  query: networkParameters,
  answer: { name: 'Facilitators', schema: facilitatorsSchema },
  describes: 'All of them',
})

export const facilitatorRoute = explorerRoute({
  id: 'facilitator',
  path: explorerPaths.facilitator,
  summary: 'A facilitator of the registry',
  pathParameters: facilitatorPath,
  query: noParameters,
  faults: ['explorer_facilitator_not_found'],
  answer: { name: 'Facilitator', schema: facilitatorSchema },
  describes: 'The facilitator',
})

export const assetRoute = explorerRoute({
  id: 'asset',
  path: explorerPaths.asset,
  summary: 'An asset that payments were made in',
  pathParameters: assetPath,
  query: networkParameters,
  faults: ['explorer_asset_not_found'],
  answer: { name: 'Asset', schema: assetSchema },
  describes: 'The asset, and what was paid in it',
})

export function exposeFacilitators(server: ReadServer, reads: ExplorerReads): void {
  serveRead(server, facilitatorsRoute, async ({ query: { network } }) => ({
    answer: { items: await reads.facilitators(network) },
    seconds: SECONDS,
  }))
  serveRead(server, facilitatorRoute, async ({ path: { id } }) => {
    const answer = await reads.facilitator(id)
    if (!answer) throw new Fault('explorer_facilitator_not_found')
    return { answer, seconds: SECONDS }
  })
  serveRead(server, assetRoute, async ({ path: { contract }, query: { network } }) => {
    const answer = await reads.asset(contract, network)
    if (!answer) throw new Fault('explorer_asset_not_found')
    return { answer, seconds: SECONDS }
  })
}
