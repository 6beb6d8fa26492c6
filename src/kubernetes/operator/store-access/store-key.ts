/** How the operator connects to a database. Two users with the same share a connection pool. */
export interface StoreAccess {
  readonly url: string
  /** PEM of the certificate authority of the server. */
  readonly ca?: string | undefined
  /** Maximum connections. */
  readonly poolSize?: number | undefined
}

/** The key of `SharedResources`; the URL itself where there is nothing else. */
export const storeKey = ({ url, ca, poolSize }: StoreAccess): string =>
  ca === undefined && poolSize === undefined ? url : JSON.stringify({ url, ca, poolSize })

export const storeOfKey = (key: string): StoreAccess =>
  key.startsWith('{') ? (JSON.parse(key) as StoreAccess) : { url: key }
