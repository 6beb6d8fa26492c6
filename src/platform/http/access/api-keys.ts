import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { type ApiKeyEntry, type ApiKeyState, stateOfApiKey } from '../../core/api-key-entry.ts'
import type { Clock } from '../../core/time/clock.ts'

/** When a request last carried a key, accepted or not. */
export interface ApiKeyUse {
  /** SHA-256 of the key, in hex. */
  readonly digest: string
  /** The name in the key's entry, if there is one. */
  readonly name: string | undefined
  /** Milliseconds since the Unix epoch. */
  readonly usedAt: number
}

interface Known {
  readonly entry: ApiKeyEntry
  readonly digest: Buffer
}

/**
 * The accepted API keys, as SHA-256 digests; no key is stored or logged. Remembers when each was last used.
 */
export class ApiKeys {
  readonly #clock: Pick<Clock, 'now'>
  #known: readonly Known[] = []
  /** By digest, those since the last `takeUses`; also of keys that were replaced. */
  #uses = new Map<string, ApiKeyUse>()

  /** @param clock decides which keys are valid */
  constructor(clock: Pick<Clock, 'now'>, entries: readonly ApiKeyEntry[] = []) {
    this.#clock = clock
    this.replace(entries)
  }

  /** Replaces all keys. */
  replace(entries: readonly ApiKeyEntry[]): void {
    this.#known = entries.map((entry) => ({ entry, digest: Buffer.from(entry.digest, 'hex') }))
  }

  /**
   * The digest, in hex, of the key a request carries in `Authorization: Bearer` or `X-API-Key`.
   * Undefined when it carries no key that is known and valid now. With a key in each header, one such key is enough.
   */
  identify(headers: IncomingHttpHeaders): string | undefined {
    const now = this.#clock.now()
    for (const entry of this.#entriesIn(headers)) {
      const { digest, name } = entry
      this.#uses.set(digest, { digest, name, usedAt: now })
      if (stateOfApiKey(entry, now) === 'valid') return digest
    }
    return undefined
  }

  /** The known key that a request carries, though it is not valid yet or has ended; undefined when it carries none. */
  findInvalid(headers: IncomingHttpHeaders): (ApiKeyEntry & { state: ApiKeyState }) | undefined {
    const [entry] = this.#entriesIn(headers)
    return entry && { ...entry, state: stateOfApiKey(entry, this.#clock.now()) }
  }

  /** The last use of each key by requests to this process since the last call. Here they are forgotten. */
  takeUses(): readonly ApiKeyUse[] {
    const taken = [...this.#uses.values()]
    this.#uses = new Map()
    return taken
  }

  #entriesIn(headers: IncomingHttpHeaders): readonly ApiKeyEntry[] {
    return keysIn(headers).flatMap((key) => {
      const entry = this.#find(createHash('sha256').update(key).digest())
      return entry ? [entry] : []
    })
  }

  /** Compares with every digest, so that the time taken does not reveal a match. */
  #find(digest: Buffer): ApiKeyEntry | undefined {
    let found: ApiKeyEntry | undefined
    for (const known of this.#known) {
      if (timingSafeEqual(known.digest, digest)) found = known.entry
    }
    return found
  }
}

function keysIn(headers: IncomingHttpHeaders): readonly string[] {
  // The scheme's name is case-insensitive (RFC 9110, 11.1).
  const bearer = /^bearer +(?<key>\S+) *$/i.exec(headers.authorization ?? '')?.groups?.['key']
  const own = headers['x-api-key']
  // No key is empty: the digest of no text is what `sha256sum` prints for a variable that is not set.
  return [bearer, own].filter((key): key is string => typeof key === 'string' && key !== '')
}
