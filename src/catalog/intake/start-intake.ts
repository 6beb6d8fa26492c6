import { settlementId } from '../../payments/store/settlements/settlement.ts'
import { backoffMs, type Random } from '../../platform/core/time/backoff.ts'
import type { Clock } from '../../platform/core/time/clock.ts'
import { startWakeableLoop, type WakeableLoop } from '../../platform/core/time/wakeable-loop.ts'
import { inTransaction } from '../../platform/database/in-transaction.ts'
import type { Store } from '../../platform/database/open.ts'
import { onBackgroundError } from '../../platform/telemetry/background-error.ts'
import { inLogScope } from '../../platform/telemetry/logs/log-scope.ts'
import type { Logger } from '../../platform/telemetry/logs/logger.ts'
import type { Metrics } from '../../platform/telemetry/metrics/metrics.ts'
import { countOutcome } from '../outcome/count-outcome.ts'
import {
  handOverLeft,
  postponeDeclaration,
  takeDueDeclarations,
  type WaitingDeclaration,
} from '../store/outbox.ts'
import { type CheckDeps, checkDeclaration } from './check-declaration.ts'
import { type RecordDeps, recordDeclaration } from './record-declaration.ts'

export interface IntakeOptions extends CheckDeps, RecordDeps {
  readonly store: Pick<Store, 'db'>
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly metrics: Pick<Metrics, 'backgroundErrors' | 'catalogOutcomes'>
  readonly signal?: AbortSignal
  /** Pause between two looks into the outbox, unless it is woken, in milliseconds. @default 250 */
  readonly everyMs?: number
  /** How long other processes leave a declaration to this one. @default 15,000 */
  readonly takenForMs?: number
  /** Called after a listing was added, or a check of an origin became due. */
  readonly onListed: () => void
}

/** Few: those behind one that takes long wait for it, while another process could record them. */
const TAKEN = 8
/** Equals the number of the validator's threads; each holds a connection to the database for some milliseconds. */
const AT_ONCE = 2
/** Pauses before another try double up to this: together they last some ten minutes. */
const RETRY = { baseMs: 500, maxMs: 120_000 }
/** How often a process looks for declarations that the database could not hand over: there are none as a rule. */
const SWEEP_EVERY_MS = 60_000
/** Pauses after an error of the database. */
const PAUSE = { baseMs: 500, maxMs: 5_000 }

/**
 * Records what settled payments declare: takes declarations from the outbox, reads each one outside of any
 * transaction, and lists it in one. Any number of processes share the work; each declaration is recorded once, also
 * when a process dies. One that fails is tried again later, and holds up no others.
 */
export function startIntake(options: IntakeOptions): WakeableLoop {
  const { store, clock, random, signal, everyMs = 250, takenForMs = 15_000 } = options
  let failures = 0
  let sweepAt = 0
  return startWakeableLoop({
    clock,
    ...(signal && { signal }),
    pauseMs: () => everyMs + (failures > 0 ? backoffMs(PAUSE, failures, random) : 0),
    onError: (error) => {
      failures += 1
      report(options, error, 'Could not read the outbox of the catalog')
    },
    run: async (stop) => {
      if (clock.now() >= sweepAt) {
        sweepAt = clock.now() + SWEEP_EVERY_MS
        await sweep(options)
      }
      const work = async () => {
        while (!stop.aborted) {
          const taken = await takeDueDeclarations(store.db, { limit: TAKEN, forMs: takenForMs })
          failures = 0
          if (taken.length === 0) return
          for (const declaration of taken) await handle(options, declaration, stop)
        }
      }
      await Promise.all(Array.from({ length: AT_ONCE }, work))
    },
  })
}

/** Never rejects: what is in the outbox does not wait for it. */
async function sweep(options: IntakeOptions): Promise<void> {
  try {
    const declarations = await handOverLeft(options.store.db)
    if (declarations > 0) options.log.warn({ declarations }, 'Handed over what payments declared')
  } catch (error) {
    report(options, error, 'Could not look for declarations that were not handed over')
  }
}

/** Never rejects. */
const handle = (
  options: IntakeOptions,
  waiting: WaitingDeclaration,
  stop: AbortSignal,
): Promise<void> =>
  inLogScope({ settlement: settlementId(waiting.key) }, async () => {
    const { store, random } = options
    try {
      // A postponement of 0 lets another process take it at once.
      if (stop.aborted) return await postponeDeclaration(store.db, waiting.settlementId, 0)
      const isDone = await recordOne(options, waiting)
      if (isDone || stop.aborted) return
    } catch (error) {
      report(options, error, 'Could not record what a payment declares')
    }
    const ms = backoffMs(RETRY, waiting.tries, random)
    // When this fails too, the declaration is due again once its time is over.
    await postponeDeclaration(store.db, waiting.settlementId, ms).catch(() => undefined)
  })

/** False when it is to be tried again. */
async function recordOne(options: IntakeOptions, waiting: WaitingDeclaration): Promise<boolean> {
  const { store, log, metrics, onListed } = options
  const checked = await checkDeclaration(options, waiting)
  if (checked === 'later') return false
  const recorded = await inTransaction(store.db, (transaction) =>
    recordDeclaration(transaction, options, checked),
  )
  if (!recorded) return true
  const { outcome, hasWork } = recorded
  countOutcome(metrics, 'settle', outcome)
  log.info({ ...outcome }, 'Recorded what a payment declares')
  if (hasWork) onListed()
  return true
}

const report = (options: IntakeOptions, error: unknown, message: string): void =>
  onBackgroundError(options, 'cataloging', message)(error)
