import type { NetworkId } from '../../platform/core/caip2.ts'
import type { SteadyClock } from '../../platform/core/time/clock.ts'
import type { ExplorerReads } from '../reads.ts'

/** What every page needs. */
export interface PageDeps {
  readonly reads: ExplorerReads
  /** The networks that are explored. */
  readonly networks: readonly NetworkId[]
  readonly version: string
  /** Where people reach the explorer. @default link previews have no picture, which needs a whole address */
  readonly publicUrl?: string | undefined
  readonly clock: SteadyClock
}
