import type { Clock } from '../../../core/clock.ts'
import { startWakeableLoop, type WakeableLoop } from '../../../core/wakeable-loop.ts'
import type { ExplorerReads, FeedFilters, FeedMarks } from '../../reads.ts'
import type { PaymentRecord } from '../../records.ts'
import { hasSeenAll, writeMarks } from './marks.ts'

/** A ledger closes every five seconds or so, and a payment is to be seen within 1.5 s of that. */
const POLL_MS = 1_000
/** Proxies close connections that are silent, the strictest after 30 s or so. */
const HEARTBEAT_MS = 15_000
/** Payments of one read. */
const READ_LIMIT = 100
/** A browser that needs more reads than this to catch up is told to load the page again. */
const MOST_READS_BEHIND = 20

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
  /** Payments, oldest first, and up to where these go; none when only the mark moved. */
  readonly send: (payments: readonly PaymentRecord[], id: string) => void
  /** It is too far behind; `id` is the present end. */
  readonly sendStale: (id: string) => void
  readonly end: () => void
}

interface Connection {
  readonly client: LiveClient
  readonly filtersKey: string
  marks: FeedMarks | undefined
  /** Reads without having seen all. */
  readsBehind: number
  sentAt: number
}

/**
 * Sends new payments to the browsers that show a feed. One read serves all that have the same filters and the same marks,
 * which are all with the same filters but those that are catching up. Disposal ends every connection and takes no new one.
 */
export class LiveUpdates implements AsyncDisposable {
  readonly #options: LiveUpdatesOptions
  readonly #connections = new Set<Connection>()
  readonly #loop: WakeableLoop
  #hasEnded = false

  constructor(options: LiveUpdatesOptions) {
    const { clock, onError } = options
    this.#options = options
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

  /** Adds a browser, and gives the function that removes it; undefined when there are too many, or at the end. */
  connect(client: LiveClient): (() => void) | undefined {
    const { clock, most = { inAll: 200, ofAddress: 10 } } = this.#options
    const ofAddress = [...this.#connections].filter(
      (each) => each.client.address === client.address,
    )
    if (this.#hasEnded) return undefined
    if (this.#connections.size >= most.inAll || ofAddress.length >= most.ofAddress) return undefined
    const connection: Connection = {
      client,
      filtersKey: JSON.stringify(Object.entries(client.filters).sort()),
      marks: client.after,
      readsBehind: 0,
      sentAt: clock.now(),
    }
    this.#connections.add(connection)
    this.wake()
    return () => this.#connections.delete(connection)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#hasEnded = true
    for (const { client } of this.#connections) client.end()
    this.#connections.clear()
    await this.#loop[Symbol.asyncDispose]()
  }

  async #poll(): Promise<void> {
    if (this.#connections.size === 0) return
    const { marks: present } = await this.#options.reads.newPayments({}, undefined, 0)
    for (const group of this.#groups()) await this.#advance(group, present)
    if (this.#settle(present)) this.wake()
  }

  /** Connections that the same read serves. */
  #groups(): readonly (readonly Connection[])[] {
    const keyOf = ({ filtersKey, marks }: Connection) =>
      `${filtersKey} ${marks === undefined ? '' : writeMarks(marks)}`
    return [...Map.groupBy(this.#connections, keyOf).values()]
  }

  async #advance(group: readonly Connection[], present: FeedMarks): Promise<void> {
    const [first] = group
    if (first === undefined) return
    const { marks, client } = first
    const { filters } = client
    if (marks !== undefined && hasSeenAll(marks, present, filters.network)) return
    const read = await this.#options.reads.newPayments(filters, marks, READ_LIMIT)
    const isSilent = read.items.length === 0 && marks !== undefined
    for (const connection of group) {
      connection.marks = read.marks
      connection.readsBehind += 1
      if (!isSilent) this.#send(connection, read.items)
    }
  }

  /**
   * Gives up on those that do not catch up, and lets the silent ones hear that the connection lives. Returns whether one
   * is still behind.
   */
  #settle(present: FeedMarks): boolean {
    const now = this.#options.clock.now()
    let isBehind = false
    for (const connection of this.#connections) {
      const { marks, client } = connection
      if (marks !== undefined && hasSeenAll(marks, present, client.filters.network)) {
        connection.readsBehind = 0
      } else if (connection.readsBehind >= MOST_READS_BEHIND) {
        client.sendStale(writeMarks(present))
        client.end()
        this.#connections.delete(connection)
        continue
      } else isBehind = true
      if (now - connection.sentAt >= HEARTBEAT_MS) this.#send(connection, [])
    }
    return isBehind
  }

  #send(connection: Connection, payments: readonly PaymentRecord[]): void {
    connection.sentAt = this.#options.clock.now()
    // A browser that left during the read is gone from the set, and its stream is closed.
    if (!this.#connections.has(connection)) return
    connection.client.send(payments, writeMarks(connection.marks ?? {}))
  }
}
