import type { Clock } from '../../core/clock.ts'
import type { SettlementKey } from '../../store/settlements/settlement.ts'
import type { UsageBatch } from '../../store/usage/add.ts'
import type { UsageLabels } from '../../store/usage/labels.ts'
import { AssetLabels } from './asset-labels.ts'

/** A request to count: what is told of it but the day, and the asset as the caller names it. */
export interface Metered extends Omit<UsageLabels, 'day' | 'asset'> {
  readonly asset: string | undefined
  /** Whether the network accepts payments in the asset. */
  readonly isAccepted: boolean
}

/** The queries of the meter, on one database. */
export interface UsageQueries {
  readonly add: (batch: UsageBatch) => Promise<void>
  readonly countPending: (key: SettlementKey) => Promise<void>
  readonly deleteOld: (keptDays: number) => Promise<unknown>
}

export interface UsageMeterOptions {
  readonly usage: UsageQueries
  readonly clock: Clock
  /** Names this process among the writers; no two share one. */
  readonly writer: string
  /** Told of each time that the counts could not be written; they are kept. */
  readonly onError: (error: unknown) => void
  /** Told how many requests were left out, since the memory for counts was full. */
  readonly onLost: (requests: number) => void
}

const FLUSH_EVERY_MS = 5_000
const FORGET_EVERY_MS = 3_600_000
/** Days that the counts are kept: a year and a month. */
export const KEPT_DAYS = 400
/** Some 300 bytes each. Half of it is reason to write early. */
const MOST = 10_000

/**
 * Counts requests in memory and writes them to the store every five seconds, and at the end. What is
 * being written keeps its number until the store has said that it has it, so a lost answer counts
 * nothing twice. A process that dies takes at most what it counted since the last time with it; never
 * a settlement that ended, which the store counts by itself.
 */
export class UsageMeter implements AsyncDisposable {
  readonly #options: UsageMeterOptions
  readonly #labels = new AssetLabels()
  readonly #stop = new AbortController()
  #counts = new Map<string, { readonly labels: UsageLabels; requests: number }>()
  readonly #pending = new Map<string, SettlementKey>()
  #lost = 0
  #batches = 0
  #sealed: UsageBatch | undefined
  #flushing: Promise<void> | undefined
  #running: Promise<void> = Promise.resolve()

  constructor(options: UsageMeterOptions) {
    this.#options = options
  }

  count({ asset, isAccepted, ...told }: Metered): void {
    const day = new Date(this.#options.clock.now()).toISOString().slice(0, 10)
    const label = this.#labels.labelOf(told.subject, day, asset, isAccepted)
    const labels = { ...told, day, asset: label }
    const id = JSON.stringify([told.subject, day, told.network, told.outcome, label])
    const known = this.#counts.get(id)
    if (known) {
      known.requests += 1
      return
    }
    if (this.#counts.size >= MOST) {
      this.#lost += 1
      return
    }
    this.#counts.set(id, { labels, requests: 1 })
    if (this.#counts.size === MOST / 2) void this.flush()
  }

  /** The settlement was answered as pending. One that is forgotten here is counted when it ends. */
  countPending(key: SettlementKey): void {
    if (this.#pending.size >= MOST) return
    this.#pending.set(JSON.stringify([key.network, key.payer, key.nonce]), key)
  }

  /** Writes what was counted until now; never rejects. */
  flush(): Promise<void> {
    this.#flushing ??= this.#write().finally(() => {
      this.#flushing = undefined
    })
    return this.#flushing
  }

  /** Writes regularly, in the background, until this is disposed. */
  start(): void {
    this.#running = this.#run()
  }

  async #run(): Promise<void> {
    const { clock, usage, onError } = this.#options
    const { signal } = this.#stop
    let forgotAt = Number.NEGATIVE_INFINITY
    while (!signal.aborted) {
      if (clock.now() - forgotAt >= FORGET_EVERY_MS) {
        forgotAt = clock.now()
        await usage.deleteOld(KEPT_DAYS).catch(onError)
      }
      await clock.sleep(FLUSH_EVERY_MS, signal).catch(() => undefined)
      await this.flush()
    }
  }

  async #write(): Promise<void> {
    const { usage, onError, onLost } = this.#options
    if (this.#lost > 0) onLost(this.#lost)
    this.#lost = 0
    try {
      for (const [id, key] of this.#pending) {
        await usage.countPending(key)
        this.#pending.delete(id)
      }
      for (;;) {
        this.#sealed ??= this.#seal()
        if (!this.#sealed) return
        await usage.add(this.#sealed)
        this.#sealed = undefined
      }
    } catch (error) {
      onError(error)
    }
  }

  #seal(): UsageBatch | undefined {
    if (this.#counts.size === 0) return undefined
    const counts = [...this.#counts.values()].map(({ labels, requests }) => ({
      ...labels,
      requests,
    }))
    this.#counts = new Map()
    this.#batches += 1
    return { writer: this.#options.writer, batch: this.#batches, counts }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    await this.#running
    await this.flush()
  }
}
