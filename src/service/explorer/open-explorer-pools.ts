import { hostPacing } from '../../explorer/ingest/pace/pace-clients.ts'
import { defaultTimings } from '../../payments/engine/timings.ts'
import type { NetworkId } from '../../platform/core/caip2.ts'
import type { SteadyClock } from '../../platform/core/time/clock.ts'
import type { Logger } from '../../platform/telemetry/logs/logger.ts'
import type { Metrics } from '../../platform/telemetry/metrics/metrics.ts'
import type { ExplorerNetwork } from '../../settings/sections/explorer-network.ts'
import type { RpcPool } from '../../stellar/rpc/pool/rpc-pool.ts'
import { openRpcPool } from '../networks/open-rpc-pool.ts'

interface PoolDeps {
  readonly clock: SteadyClock
  readonly log: Logger
  readonly metrics: Metrics
}

/**
 * Endpoints of the explorer, apart from those of payments in the same process: its requests to a host wait for their
 * turns, which a payment must not do. Throws `RpcError` when all endpoints of a network serve another one.
 */
export async function openExplorerPools(
  networks: readonly ExplorerNetwork[],
  deps: PoolDeps,
): Promise<ReadonlyMap<NetworkId, RpcPool>> {
  const pace = hostPacing({ clock: deps.clock })
  const opened = networks.map(async (network): Promise<[NetworkId, RpcPool]> => {
    const pool = await openRpcPool(network, { ...deps, timings: defaultTimings }, pace)
    return [network.id, pool]
  })
  return new Map(await Promise.all(opened))
}
