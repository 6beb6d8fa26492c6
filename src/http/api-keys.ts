import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

/**
 * The accepted API keys, as SHA-256 digests; no key is stored or logged.
 */
export class ApiKeys {
  #digests: readonly Buffer[] = []

  /** @param digests 64 hex digits each */
  constructor(digests: readonly string[] = []) {
    this.replace(digests)
  }

  /** Replaces all keys. */
  replace(digests: readonly string[]): void {
    this.#digests = digests.map((digest) => Buffer.from(digest, 'hex'))
  }

  /**
   * The digest, in hex, of the key a request carries in `Authorization: Bearer` or `X-API-Key`.
   * Undefined when it carries no known key. With a key in each header, one known key is enough.
   */
  identify(headers: IncomingHttpHeaders): string | undefined {
    for (const key of keysIn(headers)) {
      const digest = createHash('sha256').update(key).digest()
      if (this.#knows(digest)) return digest.toString('hex')
    }
    return undefined
  }

  /** Compares with every digest, so that the time taken does not reveal a match. */
  #knows(digest: Buffer): boolean {
    let isKnown = false
    for (const known of this.#digests) isKnown = timingSafeEqual(known, digest) || isKnown
    return isKnown
  }
}

function keysIn(headers: IncomingHttpHeaders): readonly string[] {
  // The scheme's name is case-insensitive (RFC 9110, 11.1).
  const bearer = /^bearer +(?<key>\S+) *$/i.exec(headers.authorization ?? '')?.groups?.['key']
  const own = headers['x-api-key']
  // No key is empty: the digest of no text is what `sha256sum` prints for a variable that is not set.
  return [bearer, own].filter((key): key is string => typeof key === 'string' && key !== '')
}
