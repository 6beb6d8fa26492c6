import http, { type IncomingMessage } from 'node:http'
import https, { type RequestOptions } from 'node:https'
import type { SteadyClock } from '../../../platform/core/time/clock.ts'
import { readCredentials } from './credentials.ts'
import { type ClusterAccess, type KubeconfigChoice, loadKubeconfig } from './kubeconfig.ts'

export interface KubeRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** From the server's root, with the query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal: AbortSignal
}

/** One API server with the credentials for it. */
export interface KubeConnection {
  /** Host of the API server, with the port unless it is the protocol's own. */
  readonly host: string
  /** Resolves with the head of the answer, whatever its status; rejects when there is none. */
  send(request: KubeRequest): Promise<IncomingMessage>
}

export type ConnectionOptions = KubeconfigChoice & { readonly clock: SteadyClock }

/** Tokens and certificates are read again after this time. Kubernetes rotates service account tokens well before they expire. */
const CREDENTIALS_MAX_AGE_MS = 10_000
/** Below the idle time-outs of the usual load balancers. */
const TCP_KEEP_ALIVE_MS = 15_000

/** Throws `KubeconfigUnusable`. */
export const openConnection = ({ clock, ...choice }: ConnectionOptions): KubeConnection =>
  connectTo(loadKubeconfig(choice), clock)

export function connectTo(access: ClusterAccess, clock: SteadyClock): KubeConnection {
  const { cluster } = access
  const base = new URL(cluster.server)
  const secure = base.protocol === 'https:'
  const sockets = {
    keepAlive: true,
    keepAliveMsecs: TCP_KEEP_ALIVE_MS,
    scheduling: 'lifo',
  } as const
  const agent = secure ? new https.Agent(sockets) : new http.Agent(sockets)
  const credentials = cached(clock, () => readCredentials(access))

  return {
    host: base.host,
    async send(request) {
      const { agent: proxyAgent, ...rest } = await credentials()
      // The library's own agents never reload a certificate; only a proxy needs them.
      const options = { ...rest, agent: cluster.proxyUrl && proxyAgent ? proxyAgent : agent }
      return retryStaleSocket(request, () => sendOnce(base, options, request))
    },
  }
}

/** Keeps the last value while reading fails: a token file may be missing for a moment while it is rotated. */
function cached<T>(clock: SteadyClock, read: () => Promise<T>): () => Promise<T> {
  let last: { readonly value: T; readonly at: number } | undefined
  return async () => {
    if (last && clock.monotonic() - last.at < CREDENTIALS_MAX_AGE_MS) return last.value
    try {
      last = { value: await read(), at: clock.monotonic() }
    } catch (error) {
      if (!last) throw error
    }
    return last.value
  }
}

/** The server had closed the kept socket on which the request was sent. */
class StaleSocket extends Error {}

/** Node cannot detect that the server closed a kept socket. A request that is safe to repeat is sent again on a new one. */
async function retryStaleSocket<T>({ method }: KubeRequest, send: () => Promise<T>): Promise<T> {
  try {
    return await send()
  } catch (error) {
    if (error instanceof StaleSocket && method !== 'POST') return send()
    throw error
  }
}

function sendOnce(
  base: URL,
  options: RequestOptions,
  request: KubeRequest,
): Promise<IncomingMessage> {
  const { method, path, headers, body, signal } = request
  const { request: open } = base.protocol === 'https:' ? https : http
  return new Promise((resolve, reject) => {
    const sent = open(new URL(base.pathname.replace(/\/$/, '') + path, base), {
      ...options,
      method,
      signal,
      headers: { ...options.headers, ...headers },
    })
    sent.once('response', resolve)
    sent.once('error', (error: NodeJS.ErrnoException) => {
      const stale = sent.reusedSocket && error.code === 'ECONNRESET'
      reject(stale ? new StaleSocket(error.message, { cause: error }) : error)
    })
    sent.end(body)
  })
}
