/** How the operator connects to a database. Two users with the same share a connection pool. */
export interface StoreAccess {
  readonly url: string
  /** PEM of the certificate authority of the server. */
  readonly ca?: string | undefined
  /** Maximum connections. */
  readonly poolSize?: number | undefined
}

/** Each pool and Facilitator holds its own: a Secret may have 1 MiB. */
export const MAX_URL_LENGTH = 4_096
export const MAX_CA_LENGTH = 65_536

/** The end of a sentence that begins with the name of the key. */
export const TOO_LONG_URL = `holds more than ${MAX_URL_LENGTH} characters, and no URL of a database is so long`
export const TOO_LONG_CA = `holds more than ${MAX_CA_LENGTH} characters: leave out all certificates but the authority of the database`

/** The key of `SharedResources`; the URL itself where there is nothing else. */
export const storeKey = ({ url, ca, poolSize }: StoreAccess): string =>
  ca === undefined && poolSize === undefined ? url : JSON.stringify({ url, ca, poolSize })

export const storeOfKey = (key: string): StoreAccess =>
  key.startsWith('{') ? (JSON.parse(key) as StoreAccess) : { url: key }
