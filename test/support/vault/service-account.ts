import { createSign, generateKeyPairSync, randomUUID } from 'node:crypto'
import { serveFetch } from '../serve-fetch.ts'

const NAMESPACE = 'payments'

/** Tokens of one service account, and what the API server of Kubernetes answers about them. */
export interface ServiceAccountTokens extends AsyncDisposable {
  readonly name: string
  readonly namespace: string
  /** Where Vault asks with a TokenReview. Vault itself is real or not; this side of it has no API server behind it. */
  readonly apiServer: string
  /** A new token, that the API server knows. */
  issue(): string
  revoke(jwt: string): void
  /** The tokens that Vault has asked about, in order: one for each login. */
  readonly reviewed: readonly string[]
}

export async function serviceAccountTokens(name: string): Promise<ServiceAccountTokens> {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const uid = randomUUID()
  const valid = new Set<string>()
  const reviewed: string[] = []
  const server = await serveFetch(async (request) => {
    const { spec } = (await request.json()) as { readonly spec: { readonly token: string } }
    reviewed.push(spec.token)
    const user = { username: `system:serviceaccount:${NAMESPACE}:${name}`, uid }
    const status = valid.has(spec.token) ? { authenticated: true, user } : { authenticated: false }
    return Response.json({
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenReview',
      status,
    })
  })
  return {
    name,
    namespace: NAMESPACE,
    apiServer: server.url,
    reviewed,
    revoke: (jwt) => valid.delete(jwt),
    issue: () => {
      const claims = {
        jti: randomUUID(),
        sub: `system:serviceaccount:${NAMESPACE}:${name}`,
        'kubernetes.io': { namespace: NAMESPACE, serviceaccount: { name, uid } },
      }
      const signed = [{ alg: 'ES256', typ: 'JWT' }, claims]
        .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
        .join('.')
      const signature = createSign('sha256')
        .update(signed)
        .sign({ key: privateKey, dsaEncoding: 'ieee-p1363' }, 'base64url')
      const jwt = `${signed}.${signature}`
      valid.add(jwt)
      return jwt
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}
