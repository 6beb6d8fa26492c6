import type { TransactionsPage } from '../../../stellar/rpc/pages/transaction-pages.ts'
import { RpcError } from '../../../stellar/rpc/rpc.ts'
import type { ObservedPayment } from '../../observed-payment.ts'
import { countGapLedgers, recordGap } from '../../store/ingest/gaps.ts'
import { type EpochKey, holdEpoch, type TailProgress } from '../../store/ingest/progress.ts'
import { type Backfill, listBackfills, moveBackfill } from '../../store/registry/backfills.ts'
import { type LedgerReader, readRange } from '../ledger-reader.ts'
import type { NetworkContext } from '../network-context.ts'
import { findOldestLedger } from './find-oldest-ledger.ts'
import { HistoryDoubted } from './history-doubted.ts'
import { judgeHistory } from './judge-history.ts'

/** How much is written at once: every transaction costs the store the same few statements. */
const MAX_PAYMENTS = 1_000
const MAX_PAGES = 10

/** Reads older ledgers of a network beside its live tail, the oldest first. */
export class BackfillReader {
  readonly #context: NetworkContext
  #epoch: EpochKey | undefined
  #backfill: Backfill | undefined
  #reader: LedgerReader | undefined
  /** Since when no endpoint retains the next ledger. */
  #lostSince: number | undefined

  constructor(context: NetworkContext) {
    this.#context = context
  }

  /** After an error that leaves open what the store holds. */
  forget(): void {
    this.#epoch = undefined
    this.#backfill = undefined
    this.#reader = undefined
    this.#lostSince = undefined
  }

  /** One write at most. Returns how long to wait before the next one, in milliseconds. */
  async round(signal: AbortSignal): Promise<number> {
    const { progress, isCaughtUp, deps } = this.#context
    if (!progress || !isCaughtUp) return deps.timings.pollMs
    if (progress.epoch !== this.#epoch?.id) this.forget()
    const epoch = { network: deps.network.id, id: progress.epoch }
    this.#backfill ??= await this.#next(epoch)
    if (!this.#backfill) return deps.timings.idleBackfillMs
    this.#epoch = epoch
    try {
      await this.#read(epoch, this.#backfill, progress, signal)
      this.#lostSince = undefined
      return deps.timings.backfillPauseMs
    } catch (error) {
      // It may have gone past payments that were not written.
      this.#reader = undefined
      if (!(error instanceof RpcError) || error.kind !== 'not_retained') throw error
      return await this.#lost(epoch, this.#backfill, progress, signal)
    }
  }

  async #next(epoch: EpochKey): Promise<Backfill | undefined> {
    const { db, metrics, network } = this.#context.deps
    const labels = { network: network.id }
    const backfills = await listBackfills(db, epoch)
    metrics.explorerBackfill.set(
      labels,
      backfills.reduce((sum, { next, target }) => sum + target - next + 1, 0),
    )
    metrics.explorerGaps.set(labels, await countGapLedgers(db, epoch))
    return backfills[0]
  }

  async #read(
    epoch: EpochKey,
    { next, target }: Backfill,
    progress: TailProgress,
    signal: AbortSignal,
  ): Promise<void> {
    this.#reader ??= this.#context.readerFrom(next, 0)
    const reader = this.#reader
    const payments: ObservedPayment[] = []
    let through = 0
    for (let pages = 1; ; pages++) {
      const page = await reader.fetch(signal)
      checkHistory(page, target, progress)
      const ledgers = await reader.take(page)
      payments.push(...ledgers.payments)
      through = Math.min(target, ledgers.through)
      const isEnough = pages === MAX_PAGES || payments.length >= MAX_PAYMENTS
      if (through === target || isEnough || !this.#goesOnAtOnce) break
    }
    await this.#write(
      epoch,
      through,
      payments.filter(({ ledger }) => ledger <= target),
    )
  }

  get #goesOnAtOnce(): boolean {
    return this.#context.deps.timings.backfillPauseMs === 0 && this.#context.isCaughtUp
  }

  /** Payments of a ledger that is not complete stay in the reader. */
  async #write(
    epoch: EpochKey,
    through: number,
    payments: readonly ObservedPayment[],
  ): Promise<void> {
    const backfill = this.#backfill
    if (!backfill) return
    const next = Math.max(backfill.next, through + 1)
    if (next === backfill.next && payments.length === 0) return
    const ledgers = { count: next - backfill.next, through: next - 1 }
    await this.#context.writePayments('backfill', epoch, ledgers, payments, async (transaction) => {
      await holdEpoch(transaction, epoch)
      if (next > backfill.next) await moveBackfill(transaction, epoch, backfill, next)
    })
    this.#moved(backfill, next)
  }

  #moved(backfill: Backfill, next: number): void {
    const { metrics, network } = this.#context.deps
    metrics.explorerBackfill.dec({ network: network.id }, next - backfill.next)
    if (next > backfill.target) this.forget()
    else this.#backfill = { ...backfill, next }
  }

  /** Waits until it is certain that every endpoint lacks the ledger, then records the gap and goes on after it. */
  async #lost(
    epoch: EpochKey,
    backfill: Backfill,
    progress: TailProgress,
    signal: AbortSignal,
  ): Promise<number> {
    const { clock, timings, network, log } = this.#context.deps
    const now = clock.monotonic()
    this.#lostSince ??= now
    const waitMs = this.#lostSince + timings.confirmGapMs - now
    if (waitMs > 0) return waitMs
    const range = await readRange(network.rpc, signal)
    if (judgeHistory(progress, range).kind !== 'same') {
      throw new HistoryDoubted('the RPC shows other ledgers than before')
    }
    const oldest = await findOldestLedger(network.rpc, backfill.next, range.oldestLedger, signal)
    const gap = { from: backfill.next, through: Math.min(backfill.target, oldest - 1) }
    await this.#context.write('backfill', async (transaction) => {
      await holdEpoch(transaction, epoch)
      await recordGap(transaction, epoch, gap)
      await moveBackfill(transaction, epoch, backfill, gap.through + 1)
    })
    this.forget()
    log.warn({ network: network.id, ...gap }, 'No RPC endpoint retains these ledgers any more')
    return 0
  }
}

/** Transactions of another history, after a reset that the tail has not found yet, must not be written. */
function checkHistory(page: TransactionsPage, target: number, progress: TailProgress): void {
  const isOld = page.transactions.every(
    ({ ledger, createdAt }) => ledger > target || createdAt <= progress.lastClosedAt,
  )
  if (!isOld || judgeHistory(progress, page).kind !== 'same') {
    throw new HistoryDoubted('the RPC shows other ledgers than before')
  }
}
