import type { SteadyClock } from '../../platform/core/time/clock.ts'
import { type DbTransaction, inTransaction } from '../../platform/database/in-transaction.ts'
import type { Db } from '../../platform/database/schema.ts'
import type { Logger } from '../../platform/telemetry/logs/logger.ts'
import { holdLease, type IngestLease } from '../store/ingest/lease.ts'
import type { EpochKey, TailProgress } from '../store/ingest/progress.ts'
import { type PaymentRow, writeLedgers } from '../store/ingest/write-ledgers.ts'
import type { IngestMetrics, IngestNetwork, WrittenLedgers } from './ingest-options.ts'
import { LedgerReader } from './ledger-reader.ts'
import { observePayments } from './observe-payments.ts'
import type { IngestTimings } from './timings.ts'
import type { WritePriority, WriteQueue } from './write-queue.ts'

export interface NetworkDeps {
  readonly db: Db
  readonly clock: SteadyClock
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>
  readonly metrics: IngestMetrics
  readonly timings: IngestTimings
  readonly network: IngestNetwork
  readonly lease: IngestLease
  readonly writes: WriteQueue
  readonly backfillLedgers?: number | undefined
  readonly onWritten?: ((written: WrittenLedgers) => void) | undefined
}

/** The live tail and the backfill of a network share this while this process holds the lease. */
export class NetworkContext {
  readonly deps: NetworkDeps
  /** The stored progress, as last read; undefined until it is read, and after a write whose outcome is unknown. */
  progress: TailProgress | undefined
  /** Whether the tail has read what there was at its last poll. The backfill works only then. */
  isCaughtUp = false

  constructor(deps: NetworkDeps) {
    this.deps = deps
  }

  readerFrom(ledger: number, believedLedgers: number): LedgerReader {
    const { network, timings, clock, metrics } = this.deps
    const { id, rpc, passphrase, uptoContracts, watchedAssets } = network
    const options = {
      clock,
      passphrase,
      uptoContracts: new Set(uptoContracts),
      watchedAssets: watchedAssets === 'all' ? watchedAssets : new Set(watchedAssets),
      onSkipped: (reason: string) => metrics.explorerSkipped.inc({ network: id, reason }),
    }
    const observe: ConstructorParameters<typeof LedgerReader>[0]['observe'] = (transactions) =>
      observePayments(transactions, options)
    return new LedgerReader({ rpc, pageSize: timings.pageSize, believedLedgers, observe }, ledger)
  }

  /** Runs the work in a transaction that no other process can overtake. Throws `LeaseLost` when one has. */
  write<T>(priority: WritePriority, work: (transaction: DbTransaction) => Promise<T>): Promise<T> {
    const { writes, db, lease } = this.deps
    return writes.run(priority, () =>
      inTransaction(db, async (transaction) => {
        await holdLease(transaction, lease)
        return work(transaction)
      }),
    )
  }

  /** In the same transaction `move` moves what says that these ledgers are written. */
  async writePayments(
    part: WrittenLedgers['part'],
    epoch: EpochKey,
    ledgers: { readonly count: number; readonly through: number },
    payments: readonly PaymentRow[],
    move: (transaction: DbTransaction) => Promise<void>,
  ): Promise<void> {
    const { metrics, onWritten, network } = this.deps
    const written = await this.write(part, async (transaction) => {
      await move(transaction)
      return writeLedgers(transaction, epoch, payments)
    })
    metrics.explorerLedgers.inc({ network: network.id, part }, ledgers.count)
    let total = 0
    for (const { scheme, confidence, payments } of written) {
      metrics.explorerPayments.inc({ network: network.id, scheme, confidence }, payments)
      total += payments
    }
    onWritten?.({ network: network.id, part, throughLedger: ledgers.through, payments: total })
  }
}
