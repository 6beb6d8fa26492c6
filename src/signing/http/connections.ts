/** Connections to a key service, with the certificates that are in the files now. */
import { constants } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { Agent } from 'undici'
import { SignerError } from '../../stellar/accounts/envelope-signer.ts'
import type { HttpPlace } from '../signer-place.ts'

/** Signatures wait for each other in the service anyway; more connections would only be held open. */
const MAX_CONNECTIONS = 8
const CONNECT_MS = 10_000
const MAX_HEADER_BYTES = 16 * 1024

const common = {
  connections: MAX_CONNECTIONS,
  maxHeaderSize: MAX_HEADER_BYTES,
  // The limit of headers holds for HTTP/1.1 only.
  allowH2: false,
} as const

type Tls = Exclude<HttpPlace['endpoint'], { readonly socketPath: string }>

export interface Connections extends AsyncDisposable {
  /** The agent to send the next request with. Throws `SignerError` where a certificate cannot be read. */
  agent(): Promise<Agent>
}

export const openConnections = ({ endpoint }: HttpPlace): Connections =>
  'socketPath' in endpoint ? overSocket(endpoint.socketPath) : overTls(endpoint)

function overSocket(socketPath: string): Connections {
  const agent = new Agent({ ...common, connect: { socketPath, timeout: CONNECT_MS } })
  return { agent: async () => agent, [Symbol.asyncDispose]: () => agent.destroy() }
}

/**
 * When a file has changed, later requests use new connections; those under way end on the old ones. While the new files cannot be read, the old ones
 * are used on: whoever renews a certificate may write one file after the other.
 */
function overTls({ caFile, certFile, keyFile }: Tls): Connections {
  const files = [caFile, certFile, keyFile] as const
  let current: { readonly version: string; readonly agent: Agent } | undefined
  const refresh = async (): Promise<Agent> => {
    try {
      const version = await versionOf(files)
      if (current?.version === version) return current.agent
      const [ca, cert, key] = await Promise.all(files.map((file) => readFile(file)))
      const before = current?.agent
      current = { version, agent: tlsAgent({ ca, cert, key }) }
      before?.close().catch(() => undefined)
      return current.agent
    } catch (error) {
      if (current) return current.agent
      const path = Object(error).path ?? files.join(', ')
      throw new SignerError('unreachable', `cannot read ${path}`, { cause: error })
    }
  }
  // One at a time: each of two would make an agent, and the later one close that of the other.
  let refreshing: Promise<Agent> | undefined
  return {
    agent: () => {
      refreshing ??= refresh().finally(() => {
        refreshing = undefined
      })
      return refreshing
    },
    [Symbol.asyncDispose]: async () => current?.agent.destroy(),
  }
}

const tlsAgent = (files: {
  readonly ca: Buffer | undefined
  readonly cert: Buffer | undefined
  readonly key: Buffer | undefined
}): Agent =>
  new Agent({
    ...common,
    connect: {
      ...files,
      timeout: CONNECT_MS,
      rejectUnauthorized: true,
      minVersion: 'TLSv1.2',
      // TLS 1.3 has no renegotiation. With TLS 1.2 a service could take a request, and then show another certificate.
      secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
    },
  })

/** Changes whenever a file does. It follows links: a Secret of Kubernetes is mounted as one. */
async function versionOf(files: readonly string[]): Promise<string> {
  const stats = await Promise.all(files.map((file) => stat(file)))
  return stats.map(({ mtimeMs, size, ino }) => `${mtimeMs} ${size} ${ino}`).join('\n')
}
