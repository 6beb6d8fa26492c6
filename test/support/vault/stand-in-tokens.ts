import { randomUUID } from 'node:crypto'
import { jsonOf } from '../../../src/platform/core/errors/read-answer.ts'
import type { StandInAnswer } from './vault-stand-in.ts'

const LEASE_SECONDS = 3_600

interface StandInToken {
  readonly mayDo: 'everything' | 'sign' | 'nothing'
  readonly byLogin: boolean
  renewedAt?: number
}

/** Tokens of the stand-in and the ways to them. They end by `revoke` alone: a test need not wait. */
export class StandInTokens {
  readonly rootToken = `hvs.root-${randomUUID()}`
  readonly #tokens = new Map<string, StandInToken>([
    [this.rootToken, { mayDo: 'everything', byLogin: false }],
  ])
  #apiServer = ''
  readonly #roles = new Set<string>()
  /** What a login and a renewal say of the lease. */
  lease = { seconds: LEASE_SECONDS, renewable: true }

  may(token: string, path: string): boolean {
    const mayDo = this.#tokens.get(token)?.mayDo
    if (mayDo === undefined) return false
    const isOwn = path === 'auth/token/renew-self'
    return mayDo === 'everything' || isOwn || (mayDo === 'sign' && path.startsWith('transit/'))
  }

  async handle(
    path: string,
    body: Record<string, unknown>,
    token: string,
  ): Promise<StandInAnswer | undefined> {
    switch (path) {
      case 'auth/token/create': {
        const policies = body['policies'] as readonly string[]
        return this.#grant(policies.includes('signer') ? 'sign' : 'nothing', false)
      }
      case 'auth/token/revoke':
        this.#tokens.delete(String(body['token']))
        return { status: 204 }
      case 'auth/token/lookup': {
        const found = this.#tokens.get(String(body['token']))
        return { status: 200, body: { data: { last_renewal_time: found?.renewedAt } } }
      }
      case 'auth/token/renew-self': {
        const found = this.#tokens.get(token)
        if (found) found.renewedAt = Math.floor(Date.now() / 1_000)
        return { status: 200, body: this.#authOf(token) }
      }
      case 'sys/leases/revoke-prefix/auth/kubernetes/login':
        for (const [each, { byLogin }] of this.#tokens) if (byLogin) this.#tokens.delete(each)
        return { status: 204 }
      case 'auth/kubernetes/config':
        this.#apiServer = String(body['kubernetes_host'])
        return { status: 204 }
      case 'auth/kubernetes/login':
        return this.#logIn(String(body['role']), String(body['jwt']))
    }
    const [, role] = /^auth\/kubernetes\/role\/(.+)$/.exec(path) ?? []
    if (role === undefined) return undefined
    this.#roles.add(role)
    return { status: 204 }
  }

  async #logIn(role: string, jwt: string): Promise<StandInAnswer> {
    if (!this.#roles.has(role)) {
      return { status: 400, body: { errors: [`invalid role name "${role}"`] } }
    }
    const answer = await fetch(`${this.#apiServer}/apis/authentication.k8s.io/v1/tokenreviews`, {
      method: 'POST',
      body: JSON.stringify({ spec: { token: jwt } }),
    })
    const { status } = (await jsonOf(answer)) as { status: { authenticated: boolean } }
    if (!status.authenticated) return { status: 403, body: { errors: ['permission denied'] } }
    return this.#grant('sign', true)
  }

  #grant(mayDo: StandInToken['mayDo'], byLogin: boolean): StandInAnswer {
    const token = `hvs.${randomUUID()}`
    this.#tokens.set(token, { mayDo, byLogin })
    return { status: 200, body: this.#authOf(token) }
  }

  #authOf(token: string) {
    const { seconds: lease_duration, renewable } = this.lease
    return { auth: { client_token: token, lease_duration, renewable } }
  }
}
