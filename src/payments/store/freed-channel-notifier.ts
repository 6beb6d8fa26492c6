import { sql } from 'kysely'
import type { NetworkId } from '../../platform/core/caip2.ts'
import type { Db } from '../../platform/database/schema.ts'

/** The Postgres channel of the notifications; their payload is the network. */
export const FREED_CHANNELS = 'svc_channel_freed'

/**
 * Notifies all replicas that a network has free channels. At most one notification is under way; those
 * requested until it is sent follow together in one statement, one for each network.
 */
export class FreedChannelNotifier {
  readonly #send: (networks: readonly NetworkId[]) => Promise<void>
  readonly #waiting = new Set<NetworkId>()
  #sending: Promise<void> | undefined

  constructor(send: (networks: readonly NetworkId[]) => Promise<void>) {
    this.#send = send
  }

  notify(network: NetworkId): void {
    this.#waiting.add(network)
    this.#sending ??= this.#sendAll()
  }

  /** Resolves once nothing is left to send. */
  async idle(): Promise<void> {
    await this.#sending
  }

  /** Drops errors: without the notification, a settlement that waits tries again within a second. */
  async #sendAll(): Promise<void> {
    while (this.#waiting.size > 0) {
      const networks = [...this.#waiting]
      this.#waiting.clear()
      await this.#send(networks).catch(() => undefined)
    }
    this.#sending = undefined
  }
}

/**
 * The commit of a notification holds a lock over all databases of the server. Without a wait for the disk
 * or a standby it holds it for microseconds; there is nothing that a crash could lose.
 */
export async function notifyFreedChannels(db: Db, networks: readonly NetworkId[]): Promise<void> {
  await sql`select set_config('synchronous_commit', 'off', true), pg_notify(${FREED_CHANNELS}, network)
    from unnest(${networks}::text[]) as freed (network)`.execute(db)
}
