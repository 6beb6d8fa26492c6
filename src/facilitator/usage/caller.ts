/** Everybody without a known key; nobody can read their usage. */
const PUBLIC = 'public'

const DIGEST_DIGITS = 16

/**
 * Under whose name a request is counted.
 * @param digest the digest in hex of the known key that it carries
 */
export const callerOf = (digest: string | undefined): string =>
  digest === undefined ? PUBLIC : `key:${digest.slice(0, DIGEST_DIGITS)}`
