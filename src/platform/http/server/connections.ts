import type { Server } from 'node:http'
import { isIPv4, type Socket } from 'node:net'
import { isPublicAddress } from '../guarded-fetch/public-address.ts'
import { clientAddress, networkOf } from '../rate-limit/client-address.ts'
import { hasWholeRequest } from './when-over.ts'

export interface ConnectionBounds {
  /** Open connections of the server. Each takes some 10 to 20 KiB. */
  readonly inAll: number
  /**
   * Those of one public address, a /64 of IPv6. The nodes, balancers and proxies of a cluster have addresses that are not public, and
   * each of them brings the connections of many clients.
   */
  readonly ofAddress: number
}

/** An office behind one address opens some dozens, and a seller that keeps its connections open some more. */
export const USUAL_BOUNDS: ConnectionBounds = { inAll: 5_000, ofAddress: 256 }

interface Connection {
  readonly socket: Socket
  readonly address: string
  readonly network: string
}

/** An IPv4 address may arrive within an IPv6 one. */
const isPublic = (address: string, { remoteAddress = '' }: Socket): boolean =>
  isPublicAddress(isIPv4(address) ? address : remoteAddress, false)

type Member = 'address' | 'network'

const isIdle = ({ socket }: Connection): boolean => !hasWholeRequest(socket)

/**
 * Bounds the open connections of a server. When all are taken, the network that has most of them loses an idle one to a network that
 * has fewer: few networks cannot keep everyone else out. Idle is also a connection whose requests have not arrived whole: a body
 * that comes slowly costs its sender nothing.
 */
export function boundConnections(server: Server, bounds: ConnectionBounds): void {
  const connections = new Connections(bounds)
  server.on('connection', (socket) => connections.arrive(socket))
}

class Connections {
  readonly #bounds: ConnectionBounds
  readonly #open = new Map<Socket, Connection>()
  /** Oldest first. */
  readonly #by: Readonly<Record<Member, Map<string, Set<Connection>>>> = {
    address: new Map(),
    network: new Map(),
  }

  constructor(bounds: ConnectionBounds) {
    this.#bounds = bounds
  }

  arrive(socket: Socket): void {
    const address = clientAddress({ socket, headers: {} }, 0)
    const connection = { socket, address, network: networkOf(address) }
    if (!this.#hasPlace(connection)) {
      socket.destroy()
      return
    }
    this.#open.set(socket, connection)
    for (const member of ['address', 'network'] as const) this.#put(member, connection)
    socket.once('close', () => this.#remove(connection))
  }

  #hasPlace({ socket, address, network }: Connection): boolean {
    const { inAll, ofAddress } = this.#bounds
    const ofThis = this.#by.address.get(address)?.size ?? 0
    if (ofThis >= ofAddress && isPublic(address, socket)) return false
    return this.#open.size < inAll || this.#takePlace(this.#by.network.get(network)?.size ?? 0)
  }

  /** @param own connections of the network that asks for one more */
  #takePlace(own: number): boolean {
    let largest: ReadonlySet<Connection> = new Set()
    for (const network of this.#by.network.values()) {
      if (network.size > largest.size) largest = network
    }
    if (largest.size <= own + 1) return false
    const idle = [...largest].find(isIdle)
    if (!idle) return false
    this.#remove(idle)
    idle.socket.destroy()
    return true
  }

  #put(member: Member, connection: Connection): void {
    const those = this.#by[member].get(connection[member]) ?? new Set()
    this.#by[member].set(connection[member], those.add(connection))
  }

  #remove(connection: Connection): void {
    if (!this.#open.delete(connection.socket)) return
    for (const member of ['address', 'network'] as const) {
      const those = this.#by[member].get(connection[member])
      those?.delete(connection)
      if (those?.size === 0) this.#by[member].delete(connection[member])
    }
  }
}
