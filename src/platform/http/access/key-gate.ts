import type { IncomingHttpHeaders } from 'node:http'
import { Fault } from '../../core/errors/faults.ts'
import { isoTime } from '../../core/text/iso-time.ts'
import type { ApiKeys } from './api-keys.ts'

export interface KeyGateOptions {
  readonly keys: ApiKeys
  /** CAIP-2 identifiers of the networks whose payments need a key. */
  readonly networks: ReadonlySet<string>
}

/** Admits a caller to a network that needs no API key, or with a valid key. */
export class KeyGate {
  readonly #options: KeyGateOptions

  constructor(options: KeyGateOptions) {
    this.#options = options
  }

  /** The digest, in hex, of the valid key that a request carries; undefined when it carries none. */
  identify(headers: IncomingHttpHeaders): string | undefined {
    return this.#options.keys.identify(headers)
  }

  /** Returns the same as `identify`. Throws the fault `unauthorized` when the caller is not admitted. */
  admit(network: string, headers: IncomingHttpHeaders): string | undefined {
    const digest = this.identify(headers)
    if (digest === undefined && this.#options.networks.has(network)) {
      throw this.refusal(network, headers)
    }
    return digest
  }

  /** The fault for a request that carries no valid key. @param what needs one */
  refusal(what: string, headers: IncomingHttpHeaders): Fault {
    return new Fault('unauthorized', {
      reason: `${what} needs a valid API key${this.#why(headers)}`,
    })
  }

  /** Tells a caller who has the key when it is valid: one that did not change to the next key in time reads why. */
  #why(headers: IncomingHttpHeaders): string {
    const { from, until, state } = this.#options.keys.findInvalid(headers) ?? {}
    if (state === 'notYet' && from !== undefined)
      return `: this one is valid from ${isoTime(from)} on`
    return state === 'ended' && until !== undefined
      ? `: this one was valid until ${isoTime(until)}`
      : ''
  }
}
