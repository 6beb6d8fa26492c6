import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { DemoFailure } from './demo-failure.ts'

export const LOOPBACK = '127.0.0.1'

/**
 * A port that is taken at the start of a demo and held to its end. The operating system gives it to one
 * process only and frees it however that process dies, so it also keeps a second demo from starting.
 */
export interface ClaimedPort extends AsyncDisposable {
  readonly port: number
  readonly server: Server
}

/** Listens on loopback; `port` 0 takes any free one. Throws DemoFailure when it is taken. */
export async function claimPort(port: number, use: string): Promise<ClaimedPort> {
  const server = createServer()
  await listen(server, port, use)
  return {
    port: portOf(server),
    server,
    [Symbol.asyncDispose]: () => close(server),
  }
}

/** The given port once it is known to be free, or any free one for 0. Throws DemoFailure. */
export async function freePort(port: number, use: string): Promise<number> {
  await using claimed = await claimPort(port, use)
  return claimed.port
}

function listen(server: Server, port: number, use: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(portFailure(error, port, use)))
    server.listen(port, LOOPBACK, resolve)
  })
}

const refusals: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is taken by another program',
  EACCES: 'may not be opened by this user',
}

function portFailure(error: NodeJS.ErrnoException, port: number, use: string): Error {
  const refused = refusals[error.code ?? '']
  if (refused === undefined) return error
  return new DemoFailure(
    `port ${port} ${refused}, and the ${use} needs it`,
    'Choose other ports (svc demo --help names the flags), or free this one.',
  )
}

function portOf(server: Server): number {
  const address = server.address() as AddressInfo
  return address.port
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}
