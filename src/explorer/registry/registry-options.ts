import type { NetworkId } from '../../platform/core/caip2.ts'
import type { Random } from '../../platform/core/time/backoff.ts'
import type { Clock } from '../../platform/core/time/clock.ts'
import type { Db } from '../../platform/database/schema.ts'
import type { Logger } from '../../platform/telemetry/logs/logger.ts'
import type { Metrics } from '../../platform/telemetry/metrics/metrics.ts'
import type { StellarRpc } from '../../stellar/rpc/rpc.ts'
import type { RegistryFetchers } from './registry-fetchers.ts'

export interface RegistryOptions {
  readonly db: Db
  readonly fetchers: RegistryFetchers
  /**
   * Base URLs of facilitators that the administrator knows: FACILITATOR_REGISTRY. One that is taken out stays in the
   * registry as if it had announced itself, and has to prove its signers then. Every process of a store needs the same
   * list: each applies its own when it starts.
   */
  readonly configured: readonly string[]
  /** Whether configured URLs may lead to this machine: for development. */
  readonly allowLoopback: boolean
  /** RPC by network, for the networks whose assets this process reads. */
  readonly rpcs: ReadonlyMap<NetworkId, Pick<StellarRpc, 'ledgerEntries' | 'simulate'>>
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly metrics: Pick<Metrics, 'backgroundErrors' | 'explorerPolls'>
  readonly signal?: AbortSignal
  /** Called after a round that changed a facilitator, a signer, a seller's name or an asset. */
  readonly onChanged?: () => void
  /** Between two rounds of each part. @default 3,000 */
  readonly everyMs?: number
}
