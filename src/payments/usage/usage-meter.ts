import { startBackgroundLoop } from '../../platform/core/time/background-loop.ts'
import type { Clock } from '../../platform/core/time/clock.ts'
import type { SettlementKey } from '../store/settlements/settlement.ts'
import type { UsageBatch, UsageCount } from '../store/usage/add.ts'
import type { UsageLabels } from '../store/usage/labels.ts'
import { AssetLabels } from './asset-labels.ts'
import type { KeyUses } from './key-uses.ts'
import { unlessAway } from './unless-away.ts'

/** A request to count, with the asset as the caller names it. */
export interface Metered extends Omit<UsageLabels, 'day' | 'asset'> {
  readonly asset: string | undefined
  /** Whether the network accepts payments in the asset. */
  readonly isAccepted: boolean
}

/** The queries of the meter. */
export interface UsageQueries {
  readonly add: (batch: UsageBatch) => Promise<void>
  readonly countPending: (key: SettlementKey) => Promise<void>
  readonly deleteOld: (keptDays: number) => Promise<unknown>
}

export interface UsageMeterOptions {
  readonly usage: UsageQueries
  /** Written in the same rounds. @default nothing is */
  readonly keyUses?: Pick<KeyUses, 'write'>
  readonly clock: Clock
  /** Names this process in the store; no two processes share one. */
  readonly writer: string
  /** Called after each failed write; what it was to write is kept, and holds up nothing else. */
  readonly onError: (error: unknown) => void
  /** Called with the number of requests that are not counted because the memory for counts was full. */
  readonly onLost: (requests: number) => void
}

const FLUSH_EVERY_MS = 5_000
const DELETE_OLD_EVERY_MS = 3_600_000
/** Retention of the counts in the store: a year and a month. */
export const KEPT_DAYS = 400
/**
 * In memory, about 300 bytes each. At half of it the counts are written early. Besides, as many can be in a batch that the
 * store has not confirmed, and as many settlements can wait to be counted as pending.
 */
const MAX_ENTRIES = 10_000
/** Counts that the store refuses by themselves, and not because it is away. Each costs a few statements in every round. */
const MAX_REFUSED = 1_000

/**
 * Counts requests in memory and writes them to the store every five seconds, and when disposed. A batch
 * keeps its number until the store has confirmed it, so that a lost answer counts nothing twice. A crash
 * loses at most the counts since the last write, and never a finished settlement, which the store counts
 * by itself.
 *
 * Also has the last uses of API keys written, in its rounds: no request waits for that.
 */
export class UsageMeter implements AsyncDisposable {
  readonly #options: UsageMeterOptions
  readonly #labels = new AssetLabels()
  #counts = new Map<string, { readonly labels: UsageLabels; requests: number }>()
  readonly #pending = new Map<string, SettlementKey>()
  #lost = 0
  #batches = 0
  /** Parts of batches that the store refused. */
  readonly #halves: (readonly UsageCount[])[] = []
  /** Sent to the store and not confirmed yet. */
  #unconfirmed: UsageBatch | undefined
  #flushing: Promise<void> | undefined
  #loop: AsyncDisposable | undefined
  #deletedOldAt = Number.NEGATIVE_INFINITY

  constructor(options: UsageMeterOptions) {
    this.#options = options
  }

  count({ asset, isAccepted, ...request }: Metered): void {
    const day = new Date(this.#options.clock.now()).toISOString().slice(0, 10)
    const label = this.#labels.labelOf(request.subject, day, asset, isAccepted)
    const labels = { ...request, day, asset: label }
    const id = JSON.stringify([request.subject, day, request.network, request.outcome, label])
    const known = this.#counts.get(id)
    if (known) {
      known.requests += 1
      return
    }
    if (this.#counts.size >= MAX_ENTRIES) {
      this.#lost += 1
      return
    }
    this.#counts.set(id, { labels, requests: 1 })
    if (this.#counts.size === MAX_ENTRIES / 2) void this.flush()
  }

  /** Counts a settlement that was answered as pending. When memory is full, it counts when it ends. */
  countPending(key: SettlementKey): void {
    if (this.#pending.size >= MAX_ENTRIES) return
    this.#pending.set(JSON.stringify([key.network, key.payer, key.nonce]), key)
  }

  /** Writes the counts so far; never rejects. */
  flush(): Promise<void> {
    this.#flushing ??= this.#write().finally(() => {
      this.#flushing = undefined
    })
    return this.#flushing
  }

  /** Writes in the background until the meter is disposed. */
  start(): void {
    const { clock, onError } = this.#options
    const run = async () => {
      await this.flush()
      await this.#options.keyUses?.write().catch(onError)
      await this.#deleteOld()
    }
    this.#loop = startBackgroundLoop({ run, pauseMs: FLUSH_EVERY_MS, clock, onError })
  }

  async #deleteOld(): Promise<void> {
    const { clock, usage, onError } = this.#options
    if (clock.now() - this.#deletedOldAt < DELETE_OLD_EVERY_MS) return
    this.#deletedOldAt = clock.now()
    await usage.deleteOld(KEPT_DAYS).catch(onError)
  }

  async #write(): Promise<void> {
    const { usage, onError, onLost } = this.#options
    if (this.#lost > 0) onLost(this.#lost)
    this.#lost = 0
    const refused: UsageCount[] = []
    await this.#writePending().catch(onError)
    try {
      for (;;) {
        this.#unconfirmed ??= this.#nextBatch()
        if (!this.#unconfirmed) return
        const { counts } = this.#unconfirmed
        await usage.add(this.#unconfirmed).catch(
          unlessAway((error) => {
            onError(error)
            // In the end only what the store refuses by itself is left.
            const half = Math.ceil(counts.length / 2)
            if (counts.length === 1) this.#keepRefused(refused, counts)
            else this.#halves.push(counts.slice(0, half), counts.slice(half))
          }),
        )
        this.#unconfirmed = undefined
      }
    } catch (error) {
      onError(error)
    } finally {
      // Tried again in the next round.
      if (refused.length > 0) this.#halves.push(refused)
    }
  }

  /** One whose statement takes too long is tried last in the next round: it must not hold up the others. */
  async #writePending(): Promise<void> {
    const { usage, onError } = this.#options
    for (const [id, key] of [...this.#pending]) {
      await usage.countPending(key).then(
        () => this.#pending.delete(id),
        (error: unknown) => {
          this.#pending.delete(id)
          this.#pending.set(id, key)
          unlessAway(onError)(error)
        },
      )
    }
  }

  #keepRefused(refused: UsageCount[], counts: readonly UsageCount[]): void {
    refused.push(...counts)
    if (refused.length > MAX_REFUSED) this.#lost += refused.shift()?.requests ?? 0
  }

  #nextBatch(): UsageBatch | undefined {
    const counts = this.#halves.shift() ?? this.#takeCounts()
    if (counts.length === 0) return undefined
    this.#batches += 1
    return { writer: this.#options.writer, batch: this.#batches, counts }
  }

  #takeCounts(): readonly UsageCount[] {
    const counted = [...this.#counts.values()]
    this.#counts = new Map()
    return counted.map(({ labels, requests }) => ({ ...labels, requests }))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { keyUses, onError } = this.#options
    await this.#loop?.[Symbol.asyncDispose]()
    await this.flush()
    await keyUses?.write({ isLast: true }).catch(onError)
  }
}
