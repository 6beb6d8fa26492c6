import type { NetworkId } from '../../platform/core/caip2.ts'
import type { Clock } from '../../platform/core/time/clock.ts'
import type { Db } from '../../platform/database/schema.ts'

/** The parts that the reads of the explorer use. */
export interface ReadDeps {
  readonly db: Db
  readonly clock: Clock
  /** The networks that this service observes. */
  readonly networks: readonly NetworkId[]
  /** Contracts of the assets whose payments are observed, by network; absent: all assets are. */
  readonly watchedAssets: Readonly<Partial<Record<NetworkId, readonly string[]>>>
}
