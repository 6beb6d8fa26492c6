import type { TransactionsPage } from '../../stellar/rpc/pages/transaction-pages.ts'
import type { LedgerRange } from '../../stellar/rpc/rpc.ts'
import { RpcError } from '../../stellar/rpc/rpc.ts'
import { beginEpoch } from '../store/ingest/epochs.ts'
import {
  moveProgress,
  notePoll,
  readProgress,
  type TailProgress,
} from '../store/ingest/progress.ts'
import { addBackfill } from '../store/registry/backfills.ts'
import { findOldestLedger } from './history/find-oldest-ledger.ts'
import { HistoryDoubted } from './history/history-doubted.ts'
import { judgeHistory } from './history/judge-history.ts'
import { ResetWatch } from './history/reset-watch.ts'
import { type LedgerReader, type ReadLedgers, readRange } from './ledger-reader.ts'
import type { NetworkContext } from './network-context.ts'
import { LedgerRhythm } from './pace/ledger-rhythm.ts'

/** How often a poll that finds nothing new is recorded. */
const NOTE_POLL_MS = 5_000
/** An endpoint that retains the genesis or the ledger after it has dropped none yet. */
const FIRST_LEDGERS = 2
/** Between the oldest retained ledger and the start of the tail. */
const MAX_MARGIN_LEDGERS = 50

/** Follows the head of a network, and writes each ledger as soon as the RPC has it. */
export class Tail {
  readonly #context: NetworkContext
  readonly #watch: ResetWatch
  readonly #rhythm: LedgerRhythm
  #reader: LedgerReader | undefined
  #notedAt = Number.NEGATIVE_INFINITY

  constructor(context: NetworkContext) {
    const { clock, timings } = context.deps
    this.#context = context
    this.#watch = new ResetWatch({ now: () => clock.monotonic() }, timings)
    this.#rhythm = new LedgerRhythm(timings)
  }

  /** After an error that leaves open what the store holds: the next round reads it. */
  forget(): void {
    this.#context.progress = undefined
    this.#context.isCaughtUp = false
    this.#reader = undefined
  }

  /** One request and what follows from it. Returns how long to wait before the next one, in milliseconds. */
  async round(signal: AbortSignal): Promise<number> {
    const { clock, timings } = this.#context.deps
    const progress = await this.#progress(signal)
    if (!progress) return 0
    // Starts some ledgers back: transactions that a cut-short page left out are read again, also by the next process.
    this.#reader ??= this.#context.readerFrom(
      progress.lastLedger + 1 - timings.overlapLedgers,
      timings.overlapLedgers - 1,
    )
    const page = await this.#fetch(this.#reader, progress, signal)
    if (!page) return 0
    if (await this.#isOtherHistory(progress, page, signal)) return 0
    this.#showLag(progress, page.latestLedger)
    if (page.latestLedger - progress.lastLedger > timings.maxTailLagLedgers) {
      await this.#jump(progress, page)
      return 0
    }
    const ledgers = await this.#reader.take(page)
    await this.#write(progress, page, ledgers)
    this.#reader.skipTo(Math.max(progress.lastLedger, ledgers.through) + 1 - timings.overlapLedgers)
    this.#context.isCaughtUp = ledgers.isAtEnd
    this.#rhythm.observe(page.latestLedger, clock.monotonic())
    return ledgers.isAtEnd ? this.#rhythm.pauseMs(clock.monotonic()) : 0
  }

  /** Undefined when the network is seen for the first time, and has an epoch now. */
  async #progress(signal: AbortSignal): Promise<TailProgress | undefined> {
    const { db, network } = this.#context.deps
    this.#context.progress ??= await readProgress(db, network.id)
    if (this.#context.progress) return this.#context.progress
    await this.#beginEpoch(undefined, await readRange(network.rpc, signal), signal)
    return undefined
  }

  /** Undefined when the reader has to begin elsewhere. */
  async #fetch(
    reader: LedgerReader,
    progress: TailProgress,
    signal: AbortSignal,
  ): Promise<TransactionsPage | undefined> {
    try {
      return await reader.fetch(signal)
    } catch (error) {
      if (!(error instanceof RpcError) || error.kind !== 'not_retained') throw error
      const next = progress.lastLedger + 1
      const range = await readRange(this.#context.deps.network.rpc, signal)
      if (await this.#isOtherHistory(progress, range, signal)) return undefined
      if (reader.ledger < next) {
        // The endpoint may have dropped the ledgers to read again; start at the oldest that it retains.
        reader.skipTo(Math.min(next, Math.max(range.oldestLedger, reader.ledger + 1)))
        return undefined
      }
      // Another endpoint retains it, and did not answer.
      if (this.#startOf(range) <= next) throw error
      await this.#jump(progress, range)
      return undefined
    }
  }

  /** True when a new epoch has begun. Throws `HistoryDoubted` when the answer must not be used. */
  async #isOtherHistory(
    progress: TailProgress,
    range: LedgerRange,
    signal: AbortSignal,
  ): Promise<boolean> {
    const finding = judgeHistory(progress, range)
    switch (finding.kind) {
      case 'same':
        this.#watch.clear()
        return false
      case 'lagging':
        throw new HistoryDoubted(
          `the RPC is ${finding.ledgers} ledgers behind those that it reported before`,
        )
      case 'reset':
        if (!this.#watch.suspect(finding.ledgers)) {
          throw new HistoryDoubted(
            'the RPC shows another history than before: a reset, if it goes on',
          )
        }
        await this.#beginEpoch(progress, range, signal)
        this.#watch.clear()
        return true
    }
  }

  async #beginEpoch(
    old: TailProgress | undefined,
    range: LedgerRange,
    signal: AbortSignal,
  ): Promise<void> {
    const { network, log, backfillLedgers = Number.POSITIVE_INFINITY } = this.#context.deps
    // Another endpoint may retain more than the one that answered.
    const oldest = await findOldestLedger(network.rpc, 0, range.oldestLedger, signal)
    const tailFrom = this.#startOf({ ...range, oldestLedger: oldest })
    const from = Math.max(oldest, tailFrom - backfillLedgers)
    this.forget()
    await this.#context.write('tail', (transaction) =>
      beginEpoch(transaction, network.id, old?.epoch, {
        tailFrom,
        backfill: { from, through: tailFrom - 1 },
        headLedger: range.latestLedger,
        headClosedAt: range.latestCloseTime,
      }),
    )
    log.info(
      { network: network.id, ledger: tailFrom },
      old ? 'The network was reset: a new epoch begins' : 'The explorer reads a new network',
    )
  }

  /** Goes on near the head; what lies between becomes a backfill. */
  async #jump(progress: TailProgress, range: LedgerRange): Promise<void> {
    const { network, log } = this.#context.deps
    const tailFrom = this.#startOf(range)
    const missed = { from: progress.lastLedger + 1, through: tailFrom - 1 }
    const epoch = { network: network.id, id: progress.epoch }
    this.forget()
    await this.#context.write('tail', async (transaction) => {
      await moveProgress(transaction, epoch, {
        from: progress.lastLedger,
        lastLedger: tailFrom - 1,
        lastClosedAt: range.latestCloseTime,
        headLedger: range.latestLedger,
      })
      await addBackfill(transaction, epoch, missed)
    })
    log.info(
      { network: network.id, ...missed },
      'The explorer reads missed ledgers beside new ones',
    )
  }

  /** Not with ledgers that are about to be dropped: the backfill begins with those. */
  #startOf({ latestLedger, oldestLedger }: LedgerRange): number {
    const isDropping = oldestLedger > FIRST_LEDGERS
    const retained = latestLedger - oldestLedger
    const margin = isDropping ? Math.min(MAX_MARGIN_LEDGERS, Math.floor(retained / 2)) : 0
    return Math.max(oldestLedger + margin, latestLedger - this.#context.deps.timings.tailLedgers)
  }

  async #write(
    progress: TailProgress,
    { latestLedger }: LedgerRange,
    { through, closedAt, payments }: ReadLedgers,
  ): Promise<void> {
    const { network, clock } = this.#context.deps
    const isFarther = through > progress.lastLedger
    if (!isFarther && payments.length === 0) return await this.#notePoll()
    const move = {
      from: progress.lastLedger,
      lastLedger: isFarther ? through : progress.lastLedger,
      lastClosedAt: isFarther ? closedAt : progress.lastClosedAt,
      headLedger: latestLedger,
    }
    const epoch = { network: network.id, id: progress.epoch }
    const ledgers = { count: move.lastLedger - move.from, through: move.lastLedger }
    await this.#context.writePayments('tail', epoch, ledgers, payments, (transaction) =>
      moveProgress(transaction, epoch, move),
    )
    this.#context.progress = {
      epoch: progress.epoch,
      lastLedger: move.lastLedger,
      lastClosedAt: move.lastClosedAt,
      highWater: Math.max(progress.highWater, latestLedger),
      headLedger: latestLedger,
    }
    this.#notedAt = clock.monotonic()
    this.#showLag(this.#context.progress, latestLedger)
  }

  async #notePoll(): Promise<void> {
    const { clock, network } = this.#context.deps
    if (clock.monotonic() - this.#notedAt < NOTE_POLL_MS) return
    await this.#context.write('tail', (transaction) => notePoll(transaction, network.id))
    this.#notedAt = clock.monotonic()
  }

  #showLag({ lastLedger }: TailProgress, head: number): void {
    const { metrics, network } = this.#context.deps
    metrics.explorerHead.set({ network: network.id }, lastLedger)
    metrics.explorerLag.set({ network: network.id }, Math.max(0, head - lastLedger))
  }
}
