export interface ClientOptions {
  /** Base URL, such as `https://facilitator.example`. A path in it is kept. */
  readonly url: string
  /** Sends the requests. @default the global `fetch` */
  readonly fetch?: typeof globalThis.fetch | undefined
  /** Ends every request of the client. */
  readonly signal?: AbortSignal | undefined
  /** The longest answer that is read, in bytes after decompression. @default 16 MiB */
  readonly maxBytes?: number | undefined
}

export interface RequestOptions {
  /** Ends this request; `AbortSignal.timeout(5_000)` is a time limit. */
  readonly signal?: AbortSignal | undefined
}

/** A read whose answer comes in pages. */
export interface Paged<Query, Page> {
  /** One page. */
  (...given: Given<Query>): Promise<Page>
  /** That page and those after it. The next page is asked for when the loop comes to it. */
  pages(...given: Given<Query>): AsyncGenerator<Page, void, undefined>
}

/** The query may be left out when it has no required parameter. */
type Given<Query> =
  Record<string, never> extends Query
    ? [query?: Query, options?: RequestOptions]
    : [query: Query, options?: RequestOptions]
