import { openApiDocument } from '../../src/service/openapi/document.ts'
import { explorerDocument } from '../../src/service/openapi/explorer-document.ts'
import { clientTypes } from './client-types.ts'

const catalogTypes = (): string =>
  clientTypes(openApiDocument('dev'), {
    name: 'CatalogReads',
    operations: [
      'listResources',
      'getListing',
      'getListingVersions',
      'searchResources',
      'validateResource',
    ],
  })

const serviceTypes = (): string =>
  clientTypes(openApiDocument('dev'), {
    name: 'ServiceReads',
    operations: ['supported', 'usage', 'statement', 'health'],
    also: ['ErrorMember'],
  })

const explorerTypes = (): string =>
  clientTypes(explorerDocument('dev'), {
    name: 'ExplorerReads',
    operations: [
      'feed',
      'payment',
      'sellers',
      'seller',
      'stats',
      'ecosystem',
      'timeseries',
      'facilitators',
      'facilitator',
      'asset',
      'explorerHealth',
    ],
  })

/** The types of `stellar-x402/client`. */
export const clientModules = {
  'src/buying/client/catalog-types.ts': catalogTypes,
  'src/buying/client/explorer-types.ts': explorerTypes,
  'src/buying/client/service-types.ts': serviceTypes,
}
