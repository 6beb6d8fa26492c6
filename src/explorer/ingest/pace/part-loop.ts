import { backoffMs, type Random } from '../../../platform/core/time/backoff.ts'
import { RpcError } from '../../../stellar/rpc/rpc.ts'
import { LeaseLost } from '../../store/ingest/lease.ts'
import { noteFailure } from '../../store/ingest/progress.ts'
import { failureText } from '../failure-text.ts'
import { HistoryDoubted } from '../history/history-doubted.ts'
import type { WrittenLedgers } from '../ingest-options.ts'
import type { NetworkContext } from '../network-context.ts'

/** The live tail or the backfill of a network. */
interface IngestPart {
  /** Returns how long to wait before the next round, in milliseconds. */
  round(signal: AbortSignal): Promise<number>
  /** The next round reads from the store where it is. */
  forget(): void
}

export interface PartLoopOptions {
  readonly context: NetworkContext
  readonly part: WrittenLedgers['part']
  readonly work: IngestPart
  readonly random: Random
  readonly signal: AbortSignal
}

/** Runs rounds until the signal aborts. Failed rounds are repeated after growing pauses. Throws `LeaseLost`. */
export async function runPart(options: PartLoopOptions): Promise<void> {
  const { context, work, random, signal } = options
  const { clock, timings } = context.deps
  let failures = 0
  while (!signal.aborted) {
    let pauseMs: number
    try {
      pauseMs = await work.round(signal)
      failures = 0
    } catch (error) {
      if (signal.aborted) return
      if (error instanceof LeaseLost) throw error
      failures += 1
      await reportFailure(options, error, failures)
      pauseMs = backoffMs(timings.retry, failures, random)
    }
    if (pauseMs > 0) await clock.sleep(pauseMs, signal).catch(() => undefined)
  }
}

async function reportFailure(
  { context, part, work }: PartLoopOptions,
  error: unknown,
  failures: number,
): Promise<void> {
  const { log, metrics, network } = context.deps
  // An error of an endpoint cannot have changed the store: the progress read before is still valid.
  if (!(error instanceof RpcError || error instanceof HistoryDoubted)) work.forget()
  metrics.explorerFailures.inc({ network: network.id, part })
  // An outage is logged when it begins; the metric and the ingest entry show how long it lasts.
  if (failures === 1)
    log.warn({ network: network.id, part, err: error }, 'A round of ingest failed')
  if (part !== 'tail') return
  const message = failureText(error)
  await context
    .write('tail', (transaction) => noteFailure(transaction, network.id, message))
    // The store may be what failed; a lost lease shows at the next round.
    .catch(() => undefined)
}
