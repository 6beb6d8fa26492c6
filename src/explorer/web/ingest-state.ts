import type { Clock } from '../../platform/core/time/clock.ts'
import type { ExplorerReads } from '../reads.ts'
import type { IngestEntry } from '../records.ts'

/** Every page shows the state of ingest; one read of it serves the pages of this time. */
const FRESH_MS = 2_000

/** Reads the state of ingest for the footer; undefined when the store cannot answer, which the page itself tells. */
export function ingestState(
  reads: Pick<ExplorerReads, 'stats'>,
  clock: Clock,
): () => Promise<readonly IngestEntry[] | undefined> {
  let latest: { readonly at: number; readonly entries: Promise<readonly IngestEntry[]> } | undefined
  return async () => {
    const now = clock.now()
    if (latest === undefined || now - latest.at >= FRESH_MS) {
      latest = { at: now, entries: reads.stats({ window: '24h' }).then(({ ingest }) => ingest) }
    }
    const asked = latest
    try {
      return await asked.entries
    } catch {
      if (latest === asked) latest = undefined
      return undefined
    }
  }
}
