import { Election } from './election.ts'
import type { IngestOptions } from './ingest-options.ts'
import { defaultIngestTimings } from './timings.ts'

/** Disposal ends the work in progress and gives the lease back. */
export interface Ingest extends AsyncDisposable {
  /** Whether this process ingests now, or waits until another one ends. */
  readonly isIngesting: boolean
  /** Signers have changed: payments are attributed again without waiting. */
  attributionChanged(): void
}

/**
 * Reads the ledgers of the networks for the explorer, in one process at a time: waits for the lease, ingests while it
 * holds it, and waits again.
 */
export function startIngest({ timings, ...options }: IngestOptions): Ingest {
  const election = new Election({
    ...options,
    timings: { ...defaultIngestTimings, ...timings },
  })
  const running = election.run()
  return {
    get isIngesting() {
      return election.isIngesting
    },
    attributionChanged: () => election.attributionChanged(),
    [Symbol.asyncDispose]: async () => {
      election.stop()
      await running
    },
  }
}
