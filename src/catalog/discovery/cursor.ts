import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { canonicalJson } from '../../platform/core/text/canonical-json.ts'
import type { SearchAnswer, SearchRequest } from '../search/search-service.ts'

/** Where the next page of a search begins, and what it is a page of. */
export interface CursorFacts {
  /** `digestOf` the request. */
  readonly request: Buffer
  /** `digestOf` the item keys of the ranking, in their order. */
  readonly ranking: Buffer
  /** The revision of the catalog that was ranked. */
  readonly revision: number
  /** Items before the page. */
  readonly position: number
}

const DIGEST_BYTES = 16
const SIGNED_BYTES = 2 * DIGEST_BYTES + 8 + 4

/** Enough of SHA-256 to tell apart what callers choose. */
export const digestOf = (value: SearchRequest | SearchAnswer['itemKeys']): Buffer =>
  createHash('sha256').update(canonicalJson(value)).digest().subarray(0, DIGEST_BYTES)

/** Writes and reads cursors, which only a holder of the secret can make. */
export class Cursors {
  readonly #secret: Uint8Array

  /** @param secret at least 32 bytes, the same in every replica */
  constructor(secret: Uint8Array) {
    this.#secret = secret
  }

  write({ request, ranking, revision, position }: CursorFacts): string {
    const signed = Buffer.alloc(SIGNED_BYTES)
    request.copy(signed, 0)
    ranking.copy(signed, DIGEST_BYTES)
    signed.writeBigUInt64BE(BigInt(revision), 2 * DIGEST_BYTES)
    signed.writeUInt32BE(position, 2 * DIGEST_BYTES + 8)
    return Buffer.concat([signed, this.#sign(signed)]).toString('base64url')
  }

  /** Undefined when no holder of the secret wrote it. */
  read(text: string): CursorFacts | undefined {
    const bytes = Buffer.from(text, 'base64url')
    // Decoding skips what is no base64url, and surplus bits: a cursor has one text only.
    if (bytes.toString('base64url') !== text) return undefined
    const signed = bytes.subarray(0, SIGNED_BYTES)
    const signature = bytes.subarray(SIGNED_BYTES)
    const expected = this.#sign(signed)
    if (signature.length !== expected.length || !timingSafeEqual(signature, expected)) {
      return undefined
    }
    return {
      request: signed.subarray(0, DIGEST_BYTES),
      ranking: signed.subarray(DIGEST_BYTES, 2 * DIGEST_BYTES),
      revision: Number(signed.readBigUInt64BE(2 * DIGEST_BYTES)),
      position: signed.readUInt32BE(2 * DIGEST_BYTES + 8),
    }
  }

  #sign(signed: Uint8Array): Buffer {
    return createHmac('sha256', this.#secret).update('search cursor\n').update(signed).digest()
  }
}
