/** Reads what a facilitator and an explorer answer to everybody. Runs in browsers and in Node, and imports no library. */
export { ApiError, type ApiErrorCode } from './api-error.ts'
export type * from './catalog-types.ts'
export { type ExplorerClient, explorerClient } from './explorer-client.ts'
export type * from './explorer-types.ts'
export {
  type FacilitatorClient,
  type FacilitatorClientOptions,
  facilitatorClient,
} from './facilitator-client.ts'
export type { ClientOptions, Paged, RequestOptions } from './options.ts'
export type * from './service-types.ts'
