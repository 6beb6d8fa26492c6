import type { NetworkId } from '../../platform/core/caip2.ts'
import type { SteadyClock } from '../../platform/core/time/clock.ts'
import type { ExplorerReads } from '../reads.ts'

/** Dependencies of every page. */
export interface PageDeps {
  readonly reads: ExplorerReads
  /** The networks that are explored. */
  readonly networks: readonly NetworkId[]
  readonly version: string
  readonly clock: SteadyClock
}
