import type { IncomingHttpHeaders } from 'node:http'
import { Fault } from '../core/faults.ts'
import type { ApiKeys } from './api-keys.ts'

export interface KeyGateOptions {
  readonly keys: ApiKeys
  /** CAIP-2 identifiers of the networks whose payments need a key. */
  readonly networks: ReadonlySet<string>
}

/** Admits a caller to a network that needs no API key, or with a known key. */
export class KeyGate {
  readonly #options: KeyGateOptions

  constructor(options: KeyGateOptions) {
    this.#options = options
  }

  /** The digest, in hex, of the known key that a request carries; undefined when it carries none. */
  identify(headers: IncomingHttpHeaders): string | undefined {
    return this.#options.keys.identify(headers)
  }

  /** Throws the fault `unauthorized` when the caller is not admitted. */
  admit(network: string, headers: IncomingHttpHeaders): void {
    const { networks } = this.#options
    if (!networks.has(network) || this.identify(headers) !== undefined) return
    throw new Fault('unauthorized', { reason: `${network} needs a valid API key` })
  }
}
