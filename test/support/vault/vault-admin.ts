import { Agent, request } from 'undici'
import type { ServiceAccountTokens } from './service-account.ts'

/** A Vault of one test file, real or a stand-in. */
export interface RunningVault extends AsyncDisposable {
  readonly address: string
  readonly rootToken: string
  readonly unsealKey: string
  /** PEM of the authority of the certificate that it shows now. */
  readonly authority: string
  /** Shows a certificate of another authority from now on. */
  renewCertificate(): Promise<void>
}

/** What `admin.signerToken` and the role may do. */
const SIGNER_POLICY = `
path "transit/sign/*" { capabilities = ["update"] }
path "transit/keys/*" { capabilities = ["read"] }
`
const ROLE_LEASE = '1h'

/** What a person sets up in Vault, over its HTTP interface. */
export class VaultAdmin {
  readonly #vault: RunningVault

  constructor(vault: RunningVault) {
    this.#vault = vault
  }

  /** The engine at `transit`, and a policy for those who sign. */
  async enableTransit(): Promise<void> {
    await this.call('POST', 'sys/mounts/transit', { type: 'transit' })
    await this.call('POST', 'sys/policies/acl/signer', { policy: SIGNER_POLICY })
  }

  /** The auth method at `kubernetes`, with a role for the service account. */
  async trustServiceAccount(account: ServiceAccountTokens, role: string): Promise<void> {
    await this.call('POST', 'sys/auth/kubernetes', { type: 'kubernetes' })
    await this.call('POST', 'auth/kubernetes/config', {
      kubernetes_host: account.apiServer,
      token_reviewer_jwt: account.issue(),
      disable_local_ca_jwt: true,
    })
    await this.call('POST', `auth/kubernetes/role/${role}`, {
      bound_service_account_names: [account.name],
      bound_service_account_namespaces: [account.namespace],
      token_policies: ['signer'],
      token_ttl: ROLE_LEASE,
    })
  }

  createKey(name: string, settings: object = { type: 'ed25519' }): Promise<unknown> {
    return this.call('POST', `transit/keys/${name}`, settings)
  }

  rotateKey(name: string): Promise<unknown> {
    return this.call('POST', `transit/keys/${name}/rotate`, {})
  }

  configureKey(name: string, settings: object): Promise<unknown> {
    return this.call('POST', `transit/keys/${name}/config`, settings)
  }

  /** A token that may sign. */
  async signerToken(settings: object = { policies: ['signer'] }): Promise<string> {
    const { auth } = await this.call('POST', 'auth/token/create', { ttl: '1h', ...settings })
    return auth.client_token
  }

  revoke(token: string): Promise<unknown> {
    return this.call('POST', 'auth/token/revoke', { token })
  }

  /** Ends the tokens of all logins with Kubernetes. */
  revokeLogins(): Promise<unknown> {
    return this.call('POST', 'sys/leases/revoke-prefix/auth/kubernetes/login', {})
  }

  async lastRenewalOf(token: string): Promise<number | undefined> {
    const { data } = await this.call('POST', 'auth/token/lookup', { token })
    return data.last_renewal_time
  }

  seal(): Promise<unknown> {
    return this.call('POST', 'sys/seal', {})
  }

  unseal(): Promise<unknown> {
    return this.call('POST', 'sys/unseal', { key: this.#vault.unsealKey })
  }

  // biome-ignore lint/suspicious/noExplicitAny: what a test reads of an answer is what it asserts
  async call(method: 'POST' | 'GET', path: string, body: object): Promise<any> {
    const dispatcher = new Agent({ connect: { ca: this.#vault.authority } })
    try {
      const answer = await request(`${this.#vault.address}/v1/${path}`, {
        dispatcher,
        method,
        headers: { 'x-vault-token': this.#vault.rootToken, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      const text = await answer.body.text()
      if (answer.statusCode >= 300) throw new Error(`${path}: ${answer.statusCode} ${text}`)
      return text === '' ? undefined : JSON.parse(text)
    } finally {
      await dispatcher.close()
    }
  }
}
