import { type Dispatcher, request } from 'undici'
import { connectionProblem } from '../../platform/core/errors/connection-problem.ts'
import { AnswerTooLarge, jsonOf } from '../../platform/core/errors/read-answer.ts'
import { SignerError } from '../../stellar/accounts/envelope-signer.ts'
import type { VaultAgent } from './vault-agent.ts'

/** A hundred signatures take 20 KB, and a key with a thousand versions 250 KB. */
const LIMITS = { maxBytes: 512 * 1024, maxValues: 20_000 }

export interface VaultCall {
  readonly method: 'GET' | 'POST'
  /** Below `/v1/`, each part encoded: see `pathOf`. */
  readonly path: string
  readonly body?: unknown
  readonly token?: string
}

/** An answer with any status. */
export interface VaultAnswer {
  readonly status: number
  /** Undefined: it is no JSON, which only the answer of an error may be. */
  readonly body: unknown
  /** Where it redirects to. */
  readonly location?: string | undefined
}

export interface VaultApiOptions {
  readonly address: string
  readonly namespace?: string | undefined
  readonly agent: VaultAgent
}

/** The HTTP interface of one Vault. It follows no redirects: they would carry the token to another host. */
export class VaultApi {
  readonly address: string
  readonly #namespace: string | undefined
  readonly #agent: VaultAgent

  constructor({ address, namespace, agent }: VaultApiOptions) {
    this.address = address
    this.#namespace = namespace
    this.#agent = agent
  }

  /** Throws `SignerError` when there is no answer or an unreadable one, and the reason of the signal when it aborts. */
  async send(call: VaultCall, signal: AbortSignal): Promise<VaultAnswer> {
    signal.throwIfAborted()
    const dispatcher = await this.#agent.dispatcher()
    try {
      const answer = await request(new URL(`/v1/${call.path}`, this.address), {
        dispatcher,
        method: call.method,
        headers: this.#headersOf(call),
        ...(call.body !== undefined && { body: JSON.stringify(call.body) }),
        signal,
      })
      return await this.#read(answer)
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof SignerError) throw error
      const { says } = connectionProblem(error)
      throw new SignerError('unreachable', `Vault at ${this.address} ${says}`, { cause: error })
    }
  }

  #headersOf({ body, token }: VaultCall): Record<string, string> {
    return {
      accept: 'application/json',
      // Vault Agent and Vault Proxy may demand it, which keeps out requests that a browser or a server was tricked into.
      'x-vault-request': 'true',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(token !== undefined && { 'x-vault-token': token }),
      ...(this.#namespace !== undefined && { 'x-vault-namespace': this.#namespace }),
    }
  }

  async #read({ statusCode, headers, body }: Dispatcher.ResponseData): Promise<VaultAnswer> {
    const { location } = headers
    const answer = {
      status: statusCode,
      location: typeof location === 'string' ? location : undefined,
    }
    try {
      return { ...answer, body: await jsonOf({ body }, LIMITS) }
    } catch (error) {
      const unreadable = error instanceof SyntaxError || error instanceof AnswerTooLarge
      if (!unreadable) throw error
      if (statusCode !== 200) return { ...answer, body: undefined }
      // Without the cause: a SyntaxError quotes what it read, which may be a token.
      const says = error instanceof AnswerTooLarge ? error.message : 'the answer is not JSON'
      throw new SignerError('invalid', `Vault at ${this.address} cannot be understood: ${says}`)
    }
  }
}

/** A path below `/v1/`. A mount may have slashes, a name none. */
export const pathOf = (mount: string, ...names: readonly string[]): string =>
  [...mount.split('/').filter((part) => part !== ''), ...names].map(encodeURIComponent).join('/')
