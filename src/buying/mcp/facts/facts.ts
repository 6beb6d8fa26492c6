import type { NetworkId } from '../../../platform/core/caip2.ts'

/** Parameters of a search, by the names of the query of `/discovery/search`. */
export type SearchQuery = Readonly<Record<string, string>>

interface ValidationQuestion {
  readonly url: string
  readonly method?: string
}

/**
 * The questions of the tools. Every answer is the JSON of the HTTP route of the same facts, as yet unread: the tools read it with
 * `wire.ts`, from whatever source. Each throws `ToolFailure`, and the signal's reason once it aborts.
 */
export interface Facts {
  /** `GET /discovery/search`. */
  search(query: SearchQuery, signal: AbortSignal): Promise<unknown>
  /** `GET /discovery/resources/{id}`. */
  listing(id: string, signal: AbortSignal): Promise<unknown>
  /** `POST /discovery/validate`. */
  validate(question: ValidationQuestion, signal: AbortSignal): Promise<unknown>
  /** `GET /tx/{hash}` of the explorer; undefined when it has not observed such a payment. */
  payment(hash: string, signal: AbortSignal): Promise<unknown>
  /** `GET /seller/{payTo}` of the explorer. */
  seller(payTo: string, network: NetworkId | undefined, signal: AbortSignal): Promise<unknown>
}
