import type { NetworkId } from '../../core/caip2.ts'
import type { Clock } from '../../core/clock.ts'
import type { Db } from '../../store/schema.ts'
import type { IngestEntry } from '../records.ts'

/** What the reads of the explorer need. */
export interface ReadDeps {
  readonly db: Db
  readonly clock: Clock
  /** Those that this service observes. */
  readonly networks: readonly NetworkId[]
  /** Contracts of the assets whose payments are observed, by network; absent: all assets are. */
  readonly watchedAssets: Readonly<Partial<Record<NetworkId, readonly string[]>>>
  /** How far the ledger was read. */
  readonly readIngest: (network?: NetworkId) => Promise<readonly IngestEntry[]>
}
