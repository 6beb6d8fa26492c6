import https from 'node:https'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

const loopback = new Set(['localhost', '127.0.0.1', '::1', '[::1]'])

export const isOnThisMachine = (host: string): boolean => loopback.has(host)

/**
 * An agent that connects to this machine and refuses every other host at once. Before each payment the
 * stock Stellar client requests recent ledger times from the public Horizon, and assumes 5 s a ledger
 * when that fails. Offline the failure takes seconds, and online the answer is about another network.
 */
class LoopbackAgent extends https.Agent {
  override createConnection(
    ...[options, callback]: Parameters<https.Agent['createConnection']>
  ): Duplex | null | undefined {
    const host = options.host ?? 'localhost'
    if (isOnThisMachine(host)) return super.createConnection(options, callback)
    // Through the callback: Node 22 attaches no listener in time to a socket that is destroyed already.
    callback?.(new Error(`${host} is not on this machine`), new Socket())
    return undefined
  }
}

/** From here on every https request of this process that brings no agent stays on this machine. */
export function stayOnThisMachine(): void {
  https.globalAgent = new LoopbackAgent({ keepAlive: true })
}
