import type { Clock } from '../../../platform/core/time/clock.ts'
import { startWakeableLoop, type WakeableLoop } from '../../../platform/core/time/wakeable-loop.ts'
import { networkOf } from '../../../platform/http/rate-limit/client-address.ts'
import type { ExplorerReads, FeedFilters, FeedMarks } from '../../reads.ts'
import type { PaymentRecord } from '../../records.ts'
import { LiveTail, MOST_LIVE_ROWS } from './live-tail.ts'
import { writeMarks } from './marks.ts'

/** A ledger closes every five seconds or so, and a payment is to be seen within 1.5 s of that. */
const POLL_MS = 1_000
/** Proxies close connections that are silent, the strictest after 30 s or so. */
const HEARTBEAT_MS = 15_000

export interface LiveUpdatesOptions {
  readonly reads: Pick<ExplorerReads, 'newPayments'>
  readonly clock: Clock
  /** Logs an error of a read; the next poll tries again. */
  readonly onError: (error: unknown) => void
  /** Connections of this process, in all and of one address. A browser opens at most six to one server. */
  readonly most?: { readonly inAll: number; readonly ofAddress: number }
}

/** One browser that shows a feed. */
export interface LiveClient {
  readonly filters: FeedFilters
  /** Where it continues; absent: at the present end. */
  readonly after?: FeedMarks | undefined
  /** The address that its connections are counted under. */
  readonly address: string
  /**
   * Payments, oldest first, and up to where these go; none when only the mark moved. Of many, those that a page has room
   * for. Clients with the same filters at the same marks get the same array.
   */
  readonly send: (payments: readonly PaymentRecord[], id: string) => void
  /** It is too far behind; `id` is the present end. */
  readonly sendStale: (id: string) => void
  readonly end: () => void
}

interface Connection {
  readonly client: LiveClient
  readonly filtersKey: string
  marks: FeedMarks | undefined
  sentAt: number
}

/** Sends new payments to the browsers that show a feed. Disposal ends every connection and takes no new one. */
export class LiveUpdates implements AsyncDisposable {
  readonly #options: LiveUpdatesOptions
  /** Oldest first. */
  readonly #connections = new Set<Connection>()
  readonly #tail: LiveTail
  readonly #loop: WakeableLoop
  #hasEnded = false

  constructor(options: LiveUpdatesOptions) {
    const { clock, onError, reads } = options
    this.#options = options
    this.#tail = new LiveTail(reads)
    this.#loop = startWakeableLoop({
      run: () => this.#poll(),
      pauseMs: POLL_MS,
      clock,
      onError,
      first: 'pause',
    })
  }

  /** New payments were written by this process: reads at once, without waiting for the next poll. */
  wake(): void {
    this.#loop.wake()
  }

  /**
   * Adds a browser, and gives the function that removes it; undefined when there are too many, or at the end. When all
   * places are taken, the network that has most gives one up for a network that has fewer: few networks cannot keep
   * everyone else out. Each place needs another IPv4 address or /48 then.
   */
  connect(client: LiveClient): (() => void) | undefined {
    const { clock, most = { inAll: 200, ofAddress: 10 } } = this.#options
    if (this.#hasEnded) return undefined
    const ofAddress = [...this.#connections].filter(
      (each) => each.client.address === client.address,
    ).length
    if (ofAddress >= most.ofAddress) return undefined
    if (this.#connections.size >= most.inAll) {
      const byNetwork = Map.groupBy(this.#connections, (each) => networkOf(each.client.address))
      const own = byNetwork.get(networkOf(client.address))?.length ?? 0
      const [largest = []] = [...byNetwork.values()].sort((a, b) => b.length - a.length)
      const [oldest] = largest
      if (oldest === undefined || largest.length <= own + 1) return undefined
      this.#end(oldest)
    }
    const connection: Connection = {
      client,
      filtersKey: JSON.stringify(Object.entries(client.filters).sort()),
      marks: client.after,
      sentAt: clock.now(),
    }
    this.#connections.add(connection)
    this.wake()
    return () => this.#connections.delete(connection)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#hasEnded = true
    for (const connection of this.#connections) this.#end(connection)
    await this.#loop[Symbol.asyncDispose]()
  }

  #end(connection: Connection): void {
    this.#connections.delete(connection)
    connection.client.end()
  }

  async #poll(): Promise<void> {
    if (this.#connections.size === 0) return
    await this.#tail.advance()
    const keyOf = ({ filtersKey, marks }: Connection) =>
      `${filtersKey} ${marks === undefined ? '' : writeMarks(marks)}`
    for (const group of Map.groupBy(this.#connections, keyOf).values()) this.#advance(group)
  }

  /** @param group connections with the same filters at the same marks */
  #advance(group: readonly Connection[]): void {
    const [first] = group
    if (first === undefined) return
    const { marks } = first
    const { filters } = first.client
    const end = this.#tail.end(filters)
    // A network that the marks do not name begins at its present end.
    const payments = marks === undefined ? [] : this.#tail.after({ ...end, ...marks }, filters)
    const shown = payments?.slice(-MOST_LIVE_ROWS) ?? []
    for (const connection of group) {
      if (payments === undefined) {
        connection.client.sendStale(writeMarks(end))
        this.#end(connection)
        continue
      }
      connection.marks = end
      const isSilentFor = this.#options.clock.now() - connection.sentAt
      const hasNews = payments.length > 0 || marks === undefined
      if (hasNews || isSilentFor >= HEARTBEAT_MS) this.#send(connection, shown)
    }
  }

  #send(connection: Connection, payments: readonly PaymentRecord[]): void {
    connection.sentAt = this.#options.clock.now()
    connection.client.send(payments, writeMarks(connection.marks ?? {}))
  }
}
