import type { NetworkConfig } from '../config/network-settings.ts'
import { passphrases } from '../core/caip2.ts'
import type { FacilitatorDeps } from '../facilitator/open-network.ts'
import type { NetworkRpc } from '../facilitator/served-network.ts'
import { rpcClients } from '../stellar/rpc-client.ts'
import { rpcPool } from '../stellar/rpc-pool.ts'

type PoolDeps = Pick<FacilitatorDeps, 'clock' | 'log' | 'metrics'> & {
  readonly timings: Pick<FacilitatorDeps['timings'], 'rpcTimeoutMs'>
}

/**
 * A pool of the network's endpoints. The configuration has refused plain http where it may not be.
 * Throws `RpcError` when all endpoints serve another network.
 */
export async function openRpcPool(
  { id, rpcUrls }: Pick<NetworkConfig, 'id' | 'rpcUrls'>,
  { clock, log: logger, metrics, timings }: PoolDeps,
): Promise<NetworkRpc> {
  const endpoints = rpcClients(rpcUrls, {
    allowHttp: true,
    timeoutMs: timings.rpcTimeoutMs,
    clock,
    onRequest: ({ method, failure, seconds }, endpoint) => {
      metrics.rpcRequests.inc({ network: id, endpoint, method, outcome: failure ?? 'ok' })
      metrics.rpcDuration.observe({ network: id, endpoint, method }, seconds)
    },
    onQueueLength: (queue, length, endpoint) => {
      metrics.rpcQueued.set({ network: id, endpoint, queue }, length)
    },
  })
  const log = logger.child({ network: id })
  const pool = rpcPool({ endpoints, passphrase: passphrases[id], clock, log })
  await pool.identify()
  return pool
}
