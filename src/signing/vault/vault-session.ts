import type { Clock } from '../../platform/core/time/clock.ts'
import { noLongerNeeded } from '../../platform/core/time/no-longer-needed.ts'
import { withTimeLimit } from '../../platform/core/time/time-limit.ts'
import { untilAborted } from '../../platform/core/time/until-aborted.ts'
import { SignerError } from '../../stellar/accounts/envelope-signer.ts'
import { keepValid } from './keep-valid.ts'
import type { VaultApi } from './vault-api.ts'
import type { VaultGrant } from './vault-grant.ts'
import { renew, type VaultLogin } from './vault-login.ts'

/** Vault asks the API server of Kubernetes about each login, which takes it seconds at worst. */
const LOGIN_MS = 10_000

/** The token of one process: a login when the first call needs it, then kept valid until disposal. */
export class VaultSession implements Disposable {
  readonly #api: VaultApi
  readonly #login: VaultLogin
  readonly #clock: Clock
  readonly #end = new AbortController()
  #grant: VaultGrant | undefined
  #loggingIn: Promise<string> | undefined
  /** Of the present grant. */
  #keeper = new AbortController()

  constructor(api: VaultApi, login: VaultLogin, clock: Clock) {
    this.#api = api
    this.#login = login
    this.#clock = clock
  }

  /** Throws `SignerError`, and the signal's reason. */
  async token(signal: AbortSignal): Promise<string> {
    const token = this.#grant?.token
    if (token === undefined || (await this.#login.hasOther(token))) {
      return untilAborted(signal, this.#newToken())
    }
    return token
  }

  /** Another token than the one that Vault has refused; undefined when there is none. */
  async instead(refused: string, signal: AbortSignal): Promise<string | undefined> {
    const token = this.#grant?.token
    // Another call has met the same refusal before, and got a token.
    if (token !== undefined && token !== refused) return token
    if (!this.#login.canRepeat && !(await this.#login.hasOther(refused))) return undefined
    this.#grant = undefined
    return untilAborted(signal, this.#newToken())
  }

  /** One login for all that wait, which goes on when one of them gives up. */
  #newToken(): Promise<string> {
    this.#loggingIn ??= this.#logIn().finally(() => {
      this.#loggingIn = undefined
    })
    return this.#loggingIn
  }

  async #logIn(): Promise<string> {
    const grant = await this.#within((signal) => this.#login.grant(signal))
    this.#keeper.abort(noLongerNeeded)
    this.#keeper = new AbortController()
    this.#grant = grant
    void keepValid(grant, {
      clock: this.#clock,
      signal: this.#keeper.signal,
      renew: () => this.#within((signal) => renew(this.#api, grant.token, signal)),
      replace: this.#login.canRepeat ? () => this.#newToken() : undefined,
      ended: () => {
        this.#grant = undefined
      },
    })
    return grant.token
  }

  #within<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const lateError = () =>
      new SignerError('unreachable', `Vault at ${this.#api.address} does not answer to a login`)
    return withTimeLimit(
      { clock: this.#clock, ms: LOGIN_MS, signal: this.#end.signal, lateError },
      work,
    )
  }

  [Symbol.dispose](): void {
    this.#end.abort(noLongerNeeded)
    this.#keeper.abort(noLongerNeeded)
    this.#grant = undefined
  }
}
