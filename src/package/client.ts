/**
 * Reads what a facilitator and an explorer answer to everybody, and keeps what a stock client pays from being paid twice. Runs in browsers
 * and in Node, and imports no library.
 */
export { ApiError, type ApiErrorCode } from '../buying/client/api-error.ts'
export type * from '../buying/client/catalog-types.ts'
export { type ExplorerClient, explorerClient } from '../buying/client/explorer-client.ts'
export type * from '../buying/client/explorer-types.ts'
export {
  type FacilitatorClient,
  type FacilitatorClientOptions,
  facilitatorClient,
} from '../buying/client/facilitator-client.ts'
export type { ClientOptions, Paged, RequestOptions } from '../buying/client/options.ts'
export {
  PaymentStillOpen,
  type PaymentStore,
  payOnceFetch,
} from '../buying/client/pay-once-fetch.ts'
export type * from '../buying/client/service-types.ts'
