import type { Clock } from '../../../platform/core/time/clock.ts'
import type { StellarRpc } from '../../../stellar/rpc/rpc.ts'

/** Channels disappear only when they are merged, or the network is reset. */
const READ_EVERY_MS = 60_000

/**
 * Finds the channels of the store that the ledger does not have. Reads all of them once a minute; earlier when one is new, and while one
 * is missing.
 */
export class ChannelPresence {
  readonly #rpc: Pick<StellarRpc, 'accounts'>
  readonly #clock: Pick<Clock, 'now'>
  #present: ReadonlySet<string> = new Set()
  #missing: ReadonlySet<string> = new Set()
  #readAt = Number.NEGATIVE_INFINITY

  constructor(rpc: Pick<StellarRpc, 'accounts'>, clock: Pick<Clock, 'now'>) {
    this.#rpc = rpc
    this.#clock = clock
  }

  /** Throws `RpcError` when no endpoint answers; then the last answer stays. */
  async refresh(addresses: readonly string[], signal: AbortSignal): Promise<void> {
    const isKnown = addresses.every((address) => this.#present.has(address))
    if (isKnown && this.#clock.now() - this.#readAt < READ_EVERY_MS) return
    const accounts = await this.#rpc.accounts(addresses, signal)
    this.#present = new Set(accounts.keys())
    this.#missing = new Set(addresses.filter((address) => !accounts.has(address)))
    this.#readAt = this.#clock.now()
  }

  /** False for one that was not read yet. */
  isMissing(address: string): boolean {
    return this.#missing.has(address)
  }
}
