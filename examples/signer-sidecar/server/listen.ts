/** Listens over mutual TLS or at a Unix socket. */
import { constants } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs'
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
} from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, connect } from 'node:net'
import { TLSSocket } from 'node:tls'
import type { Listen } from '../config.ts'

export interface Listening extends AsyncDisposable {
  /** Where it listens, for people: the path, or host and port. */
  readonly at: string
  /** Reads the certificates again; connections that are open stay. Nothing to do at a socket. */
  reload(): void
}

type Tls = Exclude<Listen, { readonly socketPath: string }>

/** A client keeps its connections open; one that sends nothing for longer is closed. */
const KEEP_ALIVE_MS = 65_000
const limits = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: KEEP_ALIVE_MS,
}
const MAX_CONNECTIONS = 256

/** Whoever may write to the socket may ask: its owner and its group. */
const SOCKET_UMASK = 0o117

export async function listen(settings: Listen, listener: RequestListener): Promise<Listening> {
  if ('socketPath' in settings) {
    const server = createHttpServer(limits, listener)
    await removeLeftSocket(settings.socketPath)
    const before = process.umask(SOCKET_UMASK)
    try {
      server.listen(settings.socketPath)
      await once(server, 'listening')
    } finally {
      process.umask(before)
    }
    return listening(server, settings.socketPath, () => {})
  }
  const server = createHttpsServer({ ...limits, ...secureContext(settings) }, listener)
  server.listen(settings.port, settings.host)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return listening(server, `${settings.host}:${port}`, () =>
    server.setSecureContext(secureContext(settings)),
  )
}

/** Whether the certificate of the client, which its authority has signed, names one of the clients. At a socket its mode decides. */
export function clientCheck(settings: Listen): (request: IncomingMessage) => boolean {
  if ('socketPath' in settings) return () => true
  const { clients } = settings
  return ({ socket }) => {
    if (!(socket instanceof TLSSocket) || !socket.authorized) return false
    const certificate = socket.getPeerX509Certificate()
    return clients
      ? clients.some((name) => certificate?.checkHost(name, { wildcards: false }) !== undefined)
      : true
  }
}

const secureContext = ({ certFile, keyFile, clientCaFile }: Tls) => ({
  cert: readFileSync(certFile),
  key: readFileSync(keyFile),
  ca: readFileSync(clientCaFile),
  requestCert: true,
  rejectUnauthorized: true,
  minVersion: 'TLSv1.3' as const,
  // Each connection shows the certificate of the client anew.
  secureOptions: constants.SSL_OP_NO_TICKET,
})

function listening(server: Server, at: string, reload: () => void): Listening {
  server.maxConnections = MAX_CONNECTIONS
  return {
    at,
    reload,
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close')
      server.close()
      server.closeIdleConnections()
      await closed
    },
  }
}

/** A process that was killed leaves its socket. One that answers is in use. */
async function removeLeftSocket(path: string): Promise<void> {
  if (!existsSync(path)) return
  if (!statSync(path).isSocket()) throw new Error(`${path} is no socket`)
  const probe = connect(path)
  try {
    await once(probe, 'connect')
  } catch {
    rmSync(path)
    return
  } finally {
    probe.destroy()
  }
  throw new Error(`another process listens at ${path}`)
}
