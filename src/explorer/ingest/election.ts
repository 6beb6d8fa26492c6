import {
  acquireLease,
  type IngestLease,
  LeaseLost,
  releaseLease,
  renewLease,
} from '../store/ingest/lease.ts'
import { ingestUnderLease, type SessionOptions } from './session.ts'
import type { Upkeep } from './upkeep.ts'

export type ElectionOptions = Omit<SessionOptions, 'lease' | 'onUpkeep'> & {
  /** Names this process in the store. */
  readonly holder: string
}

/** Tries to get the lease on ingest, ingests while this process holds it, and tries again when it is lost. */
export class Election {
  readonly #options: ElectionOptions
  readonly #stop = new AbortController()
  #isIngesting = false
  #upkeep: Upkeep | undefined
  #hasFailed = false

  constructor(options: ElectionOptions) {
    this.#options = options
  }

  get isIngesting(): boolean {
    return this.#isIngesting
  }

  attributionChanged(): void {
    this.#upkeep?.wake()
  }

  stop(): void {
    this.#stop.abort()
  }

  /** Resolves when it was stopped and the lease is given back. */
  async run(): Promise<void> {
    const { clock, timings } = this.#options
    this.#show(false)
    while (!this.#stop.signal.aborted) {
      const lease = await this.#acquire()
      if (lease) await this.#ingest(lease)
      await clock.sleep(timings.acquireLeaseMs, this.#stop.signal).catch(() => undefined)
    }
  }

  async #acquire(): Promise<IngestLease | undefined> {
    const { db, holder, timings, log } = this.#options
    try {
      const lease = await acquireLease(db, holder, timings.leaseTtlMs)
      this.#hasFailed = false
      return lease
    } catch (error) {
      if (!this.#hasFailed) log.warn({ err: error }, 'The lease on ingest cannot be read')
      this.#hasFailed = true
      return undefined
    }
  }

  async #ingest(lease: IngestLease): Promise<void> {
    const { log, db } = this.#options
    const over = new AbortController()
    const signal = AbortSignal.any([this.#stop.signal, over.signal])
    this.#show(true)
    log.info({ term: Number(lease.term) }, 'This process reads the ledgers for the explorer')
    const renewing = this.#renew(lease, over, signal)
    try {
      const onUpkeep = (upkeep: Upkeep) => {
        this.#upkeep = upkeep
      }
      await ingestUnderLease({ ...this.#options, lease, onUpkeep }, signal)
    } catch (error) {
      const term = Number(lease.term)
      if (error instanceof LeaseLost) {
        log.info({ term }, 'Another process reads the ledgers for the explorer')
      } else {
        // A defect of the explorer must not end a process that takes payments.
        log.error({ err: error, term }, 'Reading the ledgers ended with an error; it starts again')
      }
    } finally {
      over.abort()
      this.#upkeep = undefined
      await renewing
      this.#show(false)
      // Without an answer of the store the lease simply expires.
      await releaseLease(db, lease).catch(() => undefined)
    }
  }

  /**
   * Ends the work when another process has taken the lease. While the store answers no renewal, the process keeps its
   * work and, once the lease has run out, no longer counts as the one that ingests: it can write nothing.
   */
  async #renew(lease: IngestLease, over: AbortController, signal: AbortSignal): Promise<void> {
    const { db, clock, timings, log } = this.#options
    let hasFailed = false
    let renewedAt = clock.monotonic()
    while (!signal.aborted) {
      await clock.sleep(timings.renewLeaseMs, signal).catch(() => undefined)
      if (signal.aborted) return
      try {
        await renewLease(db, lease, timings.leaseTtlMs)
        hasFailed = false
        renewedAt = clock.monotonic()
        if (!signal.aborted) this.#show(true)
      } catch (error) {
        if (error instanceof LeaseLost) return over.abort()
        // Every write checks the lease, so that going on without a renewal does no harm.
        if (!hasFailed) log.warn({ err: error }, 'The lease on ingest was not renewed')
        hasFailed = true
        if (clock.monotonic() - renewedAt >= timings.leaseTtlMs) this.#show(false)
      }
    }
  }

  #show(isIngesting: boolean): void {
    this.#isIngesting = isIngesting
    this.#options.metrics.explorerIngesting.set(isIngesting ? 1 : 0)
  }
}
