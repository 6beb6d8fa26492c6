/** The ways to a token: one login for each kind of `VaultPlace['login']`. */
import { readFile } from 'node:fs/promises'
import { SignerError } from '../../stellar/accounts/envelope-signer.ts'
import type { VaultPlace } from '../signer-place.ts'
import { pathOf, type VaultApi } from './vault-api.ts'
import { readGrant, type VaultGrant } from './vault-grant.ts'
import { problemOf } from './vault-problem.ts'

export interface VaultLogin {
  /** Gets a token. Throws `SignerError`, and the signal's reason. */
  grant(signal: AbortSignal): Promise<VaultGrant>
  /** Whether another token is there without a login: a file was replaced. */
  hasOther(token: string): Promise<boolean>
  /** Whether a login can give a new token at any time. */
  readonly canRepeat: boolean
}

export const vaultLogin = (api: VaultApi, login: VaultPlace['login']): VaultLogin =>
  login.kind === 'token' ? tokenFileLogin(api, login.tokenFile) : kubernetesLogin(api, login)

/** The token is somebody else's, who replaces the file before its end or lets this process renew it. */
const tokenFileLogin = (api: VaultApi, tokenFile: string): VaultLogin => ({
  canRepeat: false,
  hasOther: async (token) => (await readCredential(tokenFile)) !== token,
  grant: async (signal) => {
    const token = await readCredential(tokenFile)
    // Tells the lease. A token that cannot be renewed, or may not renew itself, can be valid all the same.
    const answer = await api.send({ ...renewSelf, token }, signal)
    if (answer.status === 200) return { ...readGrant(answer), token }
    return { token, leaseMs: undefined, renewable: false }
  },
})

type KubernetesLogin = Extract<VaultPlace['login'], { readonly kind: 'kubernetes' }>

/** Projected tokens end within an hour, and the kubelet replaces the file before: each login reads it. */
const kubernetesLogin = (api: VaultApi, { mount, role, jwtFile }: KubernetesLogin): VaultLogin => ({
  canRepeat: true,
  hasOther: async () => false,
  grant: async (signal) => {
    const jwt = await readCredential(jwtFile)
    const path = `auth/${pathOf(mount, 'login')}`
    const answer = await api.send({ method: 'POST', path, body: { role, jwt } }, signal)
    if (answer.status === 200) return readGrant(answer)
    const to = `log in with the role ${role}`
    const failed = problemOf({ address: api.address, to, answer, secrets: [jwt] })
    // A wrong role has status 400, and so have some tokens of service accounts that it takes for invalid.
    const denied = answer.status >= 400 && answer.status < 500 && failed.problem !== 'unreachable'
    throw denied ? new SignerError('denied', failed.message) : failed
  },
})

/** Makes the lease of the token begin again. */
export async function renew(
  api: VaultApi,
  token: string,
  signal: AbortSignal,
): Promise<VaultGrant> {
  const answer = await api.send({ ...renewSelf, token }, signal)
  if (answer.status === 200) return { ...readGrant(answer), token }
  throw problemOf({ address: api.address, to: 'renew its token', answer, secrets: [token] })
}

const renewSelf = { method: 'POST', path: 'auth/token/renew-self', body: {} } as const

async function readCredential(path: string): Promise<string> {
  const content = await readFile(path, 'utf8').catch((cause: unknown) => {
    const code = Object(cause).code ?? 'unknown error'
    throw new SignerError('denied', `cannot read the token for Vault in ${path} (${code})`, {
      cause,
    })
  })
  const credential = content.trim()
  // Anything else is no header, and an error about the header might show it.
  if (!/^[\x21-\x7e]+$/.test(credential)) {
    throw new SignerError(
      'denied',
      `the file ${path} holds no token: it is empty or has other text`,
    )
  }
  return credential
}
