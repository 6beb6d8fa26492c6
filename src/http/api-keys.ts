import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

/**
 * The keys that callers may show. Only their SHA-256 digests are known here, and no key is ever
 * kept or logged.
 */
export class ApiKeys {
  #digests: readonly Buffer[] = []

  /** @param digests 64 hex digits each */
  constructor(digests: readonly string[] = []) {
    this.replace(digests)
  }

  /** From here on these are the keys, and no others. */
  replace(digests: readonly string[]): void {
    this.#digests = digests.map((digest) => Buffer.from(digest, 'hex'))
  }

  /**
   * The digest, in hex, of the key a request carries in `Authorization: Bearer` or `X-API-Key`.
   * Undefined when it carries none that is known. One known key of two is enough.
   */
  identify(headers: IncomingHttpHeaders): string | undefined {
    for (const key of keysIn(headers)) {
      const digest = createHash('sha256').update(key).digest()
      if (this.#knows(digest)) return digest.toString('hex')
    }
    return undefined
  }

  /** Looks at every digest whatever it finds, so that time tells nothing. */
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
  return [bearer, own].filter((key) => typeof key === 'string')
}
