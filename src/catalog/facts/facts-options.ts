import type { NetworkId } from '../../platform/core/caip2.ts'
import type { Random } from '../../platform/core/time/backoff.ts'
import type { Clock } from '../../platform/core/time/clock.ts'
import type { Store } from '../../platform/database/open.ts'
import type { Logger } from '../../platform/telemetry/logs/logger.ts'
import type { Metrics } from '../../platform/telemetry/metrics/metrics.ts'
import type { StellarRpc } from '../../stellar/rpc/rpc.ts'

export interface FactsOptions {
  readonly store: Pick<Store, 'db'>
  /** RPC clients of the networks whose facts this process reads. */
  readonly rpcs: ReadonlyMap<NetworkId, Pick<StellarRpc, 'ledgerEntries' | 'simulate'>>
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly metrics: Pick<Metrics, 'backgroundErrors'>
  /** Pause between two rounds, in milliseconds. @default 5,000 */
  readonly everyMs?: number
  readonly signal?: AbortSignal
  /** Called after a round in which a fact changed. */
  readonly onChanged?: () => void
}
