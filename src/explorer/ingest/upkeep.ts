import type { SteadyClock } from '../../platform/core/time/clock.ts'
import { startWakeableLoop } from '../../platform/core/time/wakeable-loop.ts'
import { type DbTransaction, inTransaction } from '../../platform/database/in-transaction.ts'
import type { Db } from '../../platform/database/schema.ts'
import type { Logger } from '../../platform/telemetry/logs/logger.ts'
import { presentSeconds } from '../store/figures/present-seconds.ts'
import { rollWindows } from '../store/figures/roll-windows.ts'
import { dropOldPartitions } from '../store/ingest/drop-partitions.ts'
import { holdLease, type IngestLease, LeaseLost } from '../store/ingest/lease.ts'
import { moveNext } from '../store/registry/move-payments.ts'
import type { IngestTimings } from './timings.ts'
import type { WriteQueue } from './write-queue.ts'

export interface UpkeepOptions {
  readonly db: Db
  readonly clock: SteadyClock
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>
  readonly timings: IngestTimings
  readonly lease: IngestLease
  readonly writes: WriteQueue
  readonly retentionDays?: number | undefined
  readonly signal: AbortSignal
}

export interface Upkeep extends AsyncDisposable {
  /** Works now. */
  wake(): void
}

/** Few enough that a new ledger never waits long for the end of a move. */
const MOVED_AT_ONCE = 500
/** Moves between two looks at the windows and the months: signers that change again and again cannot stop those. */
const MOVES_OF_ROUND = 20
const DAY_MS = 24 * 3_600_000

/**
 * Keeps what is stored in order: moves windows forward each hour, gives payments the facilitator whose signers have
 * changed, and drops months that are too old. Every write waits for those of new and older ledgers.
 */
export function upkeep(options: UpkeepOptions): Upkeep {
  const { db, clock, log, timings, lease, writes, retentionDays, signal } = options
  const guard = (transaction: DbTransaction) => holdLease(transaction, lease)
  const roll = () =>
    writes.run('upkeep', () =>
      inTransaction(db, async (transaction) => {
        await guard(transaction)
        return rollWindows(transaction, await presentSeconds(transaction, clock.now()))
      }),
    )
  const move = () => writes.run('upkeep', () => moveNext(db, guard, MOVED_AT_ONCE))
  let droppedAt = Number.NEGATIVE_INFINITY
  const drop = async () => {
    if (retentionDays === undefined || clock.monotonic() - droppedAt < DAY_MS) return
    const nowSeconds = Math.floor(clock.now() / 1_000)
    const tables = await writes.run('upkeep', () =>
      dropOldPartitions(db, guard, retentionDays, nowSeconds),
    )
    droppedAt = clock.monotonic()
    if (tables.length > 0) log.info({ tables }, 'Old payments of the explorer were deleted')
  }
  const moveSome = async () => {
    for (let moves = 0; moves < MOVES_OF_ROUND; moves += 1) {
      if (signal.aborted || !(await move())) return false
    }
    return true
  }
  const loop = startWakeableLoop({
    run: async () => {
      while (!signal.aborted && !(await roll()));
      const isMoreLeft = await moveSome()
      await drop()
      if (isMoreLeft) loop.wake()
    },
    pauseMs: timings.upkeepMs,
    clock,
    signal,
    onError: (error) => {
      // A lost lease ends this process's work elsewhere.
      if (!(error instanceof LeaseLost)) log.warn({ err: error }, 'Upkeep of the explorer failed')
    },
  })
  return loop
}
