import { type RequestOptions as HttpsOptions, request } from 'node:https'
import type { KubeConfig } from '@kubernetes/client-node'

export type Body = { readonly [name: string]: unknown }

export interface RequestOptions {
  /** An object is sent as JSON. */
  readonly body?: Body | readonly unknown[] | string
  /** @default 'application/json' */
  readonly contentType?: string
  readonly headers?: Readonly<Record<string, string>>
}

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** The parsed object; empty when the answer is not JSON. */
  readonly body: Body
  readonly text: string
}

/** Sends requests with the credentials of a kubeconfig, each over a new connection. */
export async function kubeRequester(
  config: KubeConfig,
): Promise<(method: string, path: string, options?: RequestOptions) => Promise<Answer>> {
  const server = config.getCurrentCluster()?.server ?? ''
  const credentials: HttpsOptions = {}
  await config.applyToHTTPSOptions(credentials)
  return (method, path, { body, contentType = 'application/json', headers } = {}) =>
    new Promise((resolve, reject) => {
      const sent = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
      const own = { ...credentials.headers, accept: 'application/json', ...headers }
      const outgoing = request(
        `${server}${path}`,
        {
          ...credentials,
          method,
          headers: { ...own, ...(sent !== undefined && { 'content-type': contentType }) },
        },
        (response) => {
          const parts: Buffer[] = []
          response.on('data', (part) => parts.push(part))
          response.once('error', reject)
          response.once('end', () => {
            const text = Buffer.concat(parts).toString('utf8')
            const status = response.statusCode ?? 0
            resolve({ status, headers: response.headers, body: parsed(text), text })
          })
        },
      )
      outgoing.once('error', reject)
      outgoing.end(sent)
    })
}

function parsed(text: string): Body {
  try {
    const value: unknown = JSON.parse(text)
    return Object(value)
  } catch {
    return {}
  }
}
