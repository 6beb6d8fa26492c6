import type { NetworkId } from '../../platform/core/caip2.ts'
import type { SteadyClock } from '../../platform/core/time/clock.ts'
import type { ExplorerReads } from '../reads.ts'

/** A catalog over the same database as the explorer. */
interface CatalogAddress {
  /** Where this process asks it. */
  readonly url: string
  /** Where others reach its facilitator. */
  readonly facilitatorUrl: string
}

/** Dependencies of every page. */
export interface PageDeps {
  readonly reads: ExplorerReads
  /** The networks that are explored. */
  readonly networks: readonly NetworkId[]
  /** Undefined: the explorer has no catalog. */
  readonly catalog?: CatalogAddress | undefined
  readonly version: string
  readonly clock: SteadyClock
}
