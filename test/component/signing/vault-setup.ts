import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Clock } from '../../../src/platform/core/time/clock.ts'
import type { KeyService } from '../../../src/signing/key-service.ts'
import type { VaultPlace } from '../../../src/signing/signer-place.ts'
import { openVault } from '../../../src/signing/vault/open-vault.ts'
import { SignerError, type SigningRequest } from '../../../src/stellar/accounts/envelope-signer.ts'
import {
  type ServiceAccountTokens,
  serviceAccountTokens,
} from '../../support/vault/service-account.ts'
import { type RunningVault, VaultAdmin } from '../../support/vault/vault-admin.ts'

/** The wrapper sets a limit; tests have that of Vitest. */
export const noLimit = new AbortController().signal

const ROLE = 'facilitator'

/** A Vault with the engine, an auth method and one key, and the files of a process that signs with it. */
export class VaultSetup implements AsyncDisposable {
  readonly vault: RunningVault
  readonly admin: VaultAdmin
  readonly account: ServiceAccountTokens
  readonly #folder: string

  private constructor(vault: RunningVault, account: ServiceAccountTokens, folder: string) {
    this.vault = vault
    this.admin = new VaultAdmin(vault)
    this.account = account
    this.#folder = folder
  }

  static async open(vault: RunningVault): Promise<VaultSetup> {
    const account = await serviceAccountTokens('facilitator')
    const folder = await mkdtemp(join(tmpdir(), 'svc-vault-files-'))
    const setup = new VaultSetup(vault, account, folder)
    await setup.admin.enableTransit()
    await setup.admin.trustServiceAccount(account, ROLE)
    return setup
  }

  /** Writes a file of the process. */
  async put(name: string, content: string): Promise<string> {
    const path = join(this.#folder, name)
    await writeFile(path, content)
    return path
  }

  /** A place with a key and files of its own. */
  async place(changes: Partial<VaultPlace> = {}): Promise<VaultPlace> {
    const name = `key-${randomBytes(6).toString('hex')}`
    if (changes.key === undefined) await this.admin.createKey(name)
    const tokenFile = await this.put(`${name}.token`, `${await this.admin.signerToken()}\n`)
    return {
      kind: 'vault',
      address: this.vault.address,
      caFile: await this.put(`${name}.ca`, this.vault.authority),
      mount: 'transit',
      key: name,
      login: { kind: 'token', tokenFile },
      ...changes,
    }
  }

  /** A login with a token of the service account, which lies in `jwtFile`. */
  async kubernetesLogin(jwt = this.account.issue(), role = ROLE) {
    const jwtFile = await this.put(`${randomBytes(6).toString('hex')}.jwt`, jwt)
    return { kind: 'kubernetes', mount: 'kubernetes', role, jwtFile } as const
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.account[Symbol.asyncDispose]()
    await rm(this.#folder, { recursive: true, force: true })
    await this.vault[Symbol.asyncDispose]()
  }
}

export const requestsOf = (count: number): SigningRequest[] =>
  Array.from({ length: count }, () => ({
    network: 'stellar:testnet',
    purpose: 'settlement',
    kind: 'message',
    message: '',
    hash: randomBytes(32),
  }))

export async function withVault<T>(
  place: VaultPlace,
  use: (service: KeyService) => Promise<T>,
  options: { readonly clock?: Clock } = {},
): Promise<T> {
  await using service = openVault(place, options)
  return await use(service)
}

/** The problem of work that must fail, and all that a log could show of it. */
export async function problemIn(
  work: Promise<unknown>,
): Promise<{ readonly problem: string; readonly text: string }> {
  const error = await work.then(
    () => new Error('it did not fail'),
    (caught: unknown) => caught,
  )
  const problem = error instanceof SignerError ? error.problem : `not a SignerError: ${error}`
  const causes = []
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    causes.push(cause.message, cause.stack, JSON.stringify(cause))
  }
  return { problem, text: causes.join('\n') }
}
