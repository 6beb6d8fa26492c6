import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

export const LOOPBACK = '127.0.0.1'

/** A port that this process holds: no other program can take it. */
export interface ClaimedPort extends AsyncDisposable {
  readonly port: number
  readonly server: Server
}

/** Why a port could not be claimed: another program has it, or this user may not open it. */
export type PortRefusal = 'taken' | 'forbidden'

const refusals: Readonly<Record<string, PortRefusal>> = {
  EADDRINUSE: 'taken',
  EACCES: 'forbidden',
}

/** Listens on loopback; `port` 0 takes any free one. Throws what nothing expects. */
export async function claimPort(port: number): Promise<ClaimedPort | PortRefusal> {
  const server = createServer()
  try {
    await listen(server, port)
  } catch (error) {
    const refusal = refusals[(error as NodeJS.ErrnoException).code ?? '']
    if (refusal === undefined) throw error
    return refusal
  }
  const address = server.address() as AddressInfo
  return { port: address.port, server, [Symbol.asyncDispose]: () => close(server) }
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, LOOPBACK, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}
