import http, { type IncomingMessage } from 'node:http'
import https, { type RequestOptions } from 'node:https'
import { KubeConfig } from '@kubernetes/client-node'
import type { SteadyClock } from '../core/clock.ts'

export interface KubeRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** With its query, from the server's root. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal: AbortSignal
}

/** One API server with the credentials for it. */
export interface KubeConnection {
  /** The namespace of the kubeconfig's context, or of the pod. */
  readonly namespace: string | undefined
  /** Resolves with the head of the answer, whatever its status; rejects when there is none. */
  send(request: KubeRequest): Promise<IncomingMessage>
  /** Closes idle sockets. Requests under way go on. */
  close(): void
}

export interface ConnectionOptions {
  readonly clock: SteadyClock
  /** A kubeconfig file. Absent: the KUBECONFIG variable, ~/.kube/config, or the pod's service account, in that order. */
  readonly kubeconfig?: string | undefined
  /** A context of the kubeconfig other than its current one. */
  readonly context?: string | undefined
}

/** Tokens and certificates are read again this often; service account tokens are rotated well ahead of their end. */
const credentialsMs = 10_000
/** Below the idle time-outs of the usual load balancers. */
const tcpKeepAliveMs = 15_000

/** Throws when the kubeconfig cannot be read or names no cluster. */
export function openConnection({ clock, kubeconfig, context }: ConnectionOptions): KubeConnection {
  const config = new KubeConfig()
  if (kubeconfig === undefined) config.loadFromDefault()
  else config.loadFromFile(kubeconfig)
  if (context !== undefined) config.setCurrentContext(context)
  const cluster = config.getCurrentCluster()
  if (!cluster) throw new Error('The kubeconfig names no cluster')

  const base = new URL(cluster.server)
  const secure = base.protocol === 'https:'
  const sockets = { keepAlive: true, keepAliveMsecs: tcpKeepAliveMs, scheduling: 'lifo' } as const
  const agent = secure ? new https.Agent(sockets) : new http.Agent(sockets)
  const credentials = rereading(clock, () => readCredentials(config))

  return {
    namespace: config.getContextObject(config.getCurrentContext())?.namespace,
    async send(request) {
      const { agent: proxying, ...rest } = await credentials()
      // The library's own agents keep the first certificate for ever; only a proxy needs them.
      const options = { ...rest, agent: cluster.proxyUrl && proxying ? proxying : agent }
      return retryStaleSocket(request, () => sendOnce(base, options, request))
    },
    close: () => agent.destroy(),
  }
}

async function readCredentials(config: KubeConfig): Promise<RequestOptions> {
  const options: RequestOptions = {}
  await config.applyToHTTPSOptions(options)
  return options
}

/** Keeps the last good value while reading fails: a token file may be missing for a moment while it is rotated. */
function rereading<T>(clock: SteadyClock, read: () => Promise<T>): () => Promise<T> {
  let last: { readonly value: T; readonly at: number } | undefined
  return async () => {
    if (last && clock.monotonic() - last.at < credentialsMs) return last.value
    try {
      last = { value: await read(), at: clock.monotonic() }
    } catch (error) {
      if (!last) throw error
    }
    return last.value
  }
}

/** A kept socket that the server closed meanwhile. */
class StaleSocket extends Error {}

/** Node cannot know that a kept socket was closed; what is safe to ask twice is asked once more on a new one. */
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
