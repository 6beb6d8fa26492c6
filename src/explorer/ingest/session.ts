import type { IngestLease } from '../store/ingest/lease.ts'
import { BackfillReader } from './history/backfill.ts'
import type { IngestOptions } from './ingest-options.ts'
import { NetworkContext } from './network-context.ts'
import { runPart } from './pace/part-loop.ts'
import { Tail } from './tail.ts'
import type { IngestTimings } from './timings.ts'
import { type Upkeep, upkeep } from './upkeep.ts'
import { WriteQueue } from './write-queue.ts'

export interface SessionOptions extends Omit<IngestOptions, 'timings'> {
  readonly timings: IngestTimings
  readonly lease: IngestLease
  /** Called when the parts have started. */
  readonly onUpkeep: (upkeep: Upkeep) => void
}

/** Ingests all networks until the signal aborts or the lease is lost. Throws `LeaseLost`. */
export async function ingestUnderLease(
  options: SessionOptions,
  signal: AbortSignal,
): Promise<void> {
  const { networks, random, metrics, onUpkeep, ...deps } = options
  const lost = new AbortController()
  const either = AbortSignal.any([signal, lost.signal])
  const writes = new WriteQueue()
  const parts = networks.flatMap((network) => {
    const context = new NetworkContext({ ...deps, metrics, network, writes })
    const common = { context, random, signal: either }
    return [
      runPart({ ...common, part: 'tail', work: new Tail(context) }),
      runPart({ ...common, part: 'backfill', work: new BackfillReader(context) }),
    ]
  })
  await using work = upkeep({ ...deps, writes, signal: either })
  onUpkeep(work)
  for (const part of parts) part.catch(() => lost.abort())
  const ended = await Promise.allSettled(parts)
  for (const { id: network } of networks) {
    for (const gauge of [
      'explorerHead',
      'explorerLag',
      'explorerGaps',
      'explorerBackfill',
    ] as const) {
      metrics[gauge].remove({ network })
    }
  }
  for (const each of ended) if (each.status === 'rejected') throw each.reason
}
