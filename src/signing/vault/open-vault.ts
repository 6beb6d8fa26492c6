import { type Clock, systemClock } from '../../platform/core/time/clock.ts'
import type { SigningRequest } from '../../stellar/accounts/envelope-signer.ts'
import type { KeyService, SigningResult } from '../key-service.ts'
import type { VaultPlace } from '../signer-place.ts'
import { readKey, readSignatures, type TransitKey } from './transit-answers.ts'
import { VaultAgent } from './vault-agent.ts'
import { pathOf, VaultApi, type VaultCall } from './vault-api.ts'
import { vaultLogin } from './vault-login.ts'
import { problemOf } from './vault-problem.ts'
import { VaultSession } from './vault-session.ts'

/** Signs with a key of the transit engine of Vault or OpenBao. Nothing is sent before the first call. */
export function openVault(
  place: VaultPlace,
  { clock = systemClock }: { readonly clock?: Clock } = {},
): KeyService {
  const agent = new VaultAgent(place.caFile)
  const api = new VaultApi({ address: place.address, namespace: place.namespace, agent })
  return new VaultKey(place, api, new VaultSession(api, vaultLogin(api, place.login), clock), agent)
}

class VaultKey implements KeyService {
  readonly #place: VaultPlace
  readonly #api: VaultApi
  readonly #session: VaultSession
  readonly #agent: VaultAgent
  /** The version whose public key was read last. */
  #version: number | undefined

  constructor(place: VaultPlace, api: VaultApi, session: VaultSession, agent: VaultAgent) {
    this.#place = place
    this.#api = api
    this.#session = session
    this.#agent = agent
    this.#version = place.version
  }

  async publicKey(signal: AbortSignal): Promise<Uint8Array> {
    return (await this.#readKey(signal)).publicKey
  }

  /**
   * Names the version of the key: after a rotation Vault would sign with another one, which is another account. So signatures are of
   * the key that `publicKey` returned last, and the next `publicKey` shows that it was rotated.
   */
  async sign(
    requests: readonly SigningRequest[],
    signal: AbortSignal,
  ): Promise<readonly SigningResult[]> {
    const { mount, key } = this.#place
    const version = this.#version ?? (await this.#readKey(signal)).version
    // The engine signs the input itself with an ed25519 key, whatever hash algorithm the mount or the request names.
    const batch = requests.map(({ hash }) => ({ input: Buffer.from(hash).toString('base64') }))
    const call = {
      method: 'POST',
      path: pathOf(mount, 'sign', key),
      body: { batch_input: batch, key_version: version },
    } as const
    const { body, token } = await this.#call(call, `sign with the key ${key}`, signal)
    return readSignatures(body, { key, version, count: requests.length, secrets: [token] })
  }

  async #readKey(signal: AbortSignal): Promise<TransitKey> {
    const { mount, key, version } = this.#place
    const call = { method: 'GET', path: pathOf(mount, 'keys', key) } as const
    const { body } = await this.#call(call, `show the key ${key}`, signal)
    const found = readKey(body, key, version)
    this.#version = found.version
    return found
  }

  /** Repeats the call once, with another token, where Vault refuses the first. @param to completes "asked to …" */
  async #call(call: VaultCall, to: string, signal: AbortSignal) {
    let token = await this.#session.token(signal)
    let answer = await this.#api.send({ ...call, token }, signal)
    if (answer.status === 403) {
      const other = await this.#session.instead(token, signal)
      if (other !== undefined) {
        token = other
        answer = await this.#api.send({ ...call, token }, signal)
      }
    }
    if (answer.status === 200) return { body: answer.body, token }
    throw problemOf({ address: this.#api.address, to, answer, secrets: [token] })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#session[Symbol.dispose]()
    await this.#agent[Symbol.asyncDispose]()
  }
}
