import type { FacilitatorDeps } from '../../payments/engine/network/open-network.ts'
import { passphrases } from '../../platform/core/caip2.ts'
import type { NetworkConfig } from '../../settings/sections/network-settings.ts'
import { type RpcPool, rpcPool } from '../../stellar/rpc/pool/rpc-pool.ts'
import { type NamedClient, rpcClients } from '../../stellar/rpc/rpc-client.ts'

type PoolDeps = Pick<FacilitatorDeps, 'clock' | 'log' | 'metrics'> & {
  readonly timings: Pick<FacilitatorDeps['timings'], 'rpcTimeoutMs'>
}

/** The endpoints of a network. */
type RpcConfig = Pick<NetworkConfig, 'id' | 'rpcUrls'> & Partial<Pick<NetworkConfig, 'rpcHeaders'>>

/**
 * A pool of the network's endpoints. The configuration has refused plain http where it may not be.
 * Throws `RpcError` when all endpoints serve another network.
 * @param wrap changes the clients of a pool that is not the first of its network in the process; the lengths of its
 * queues are not shown
 */
export async function openRpcPool(
  { id, rpcUrls, rpcHeaders }: RpcConfig,
  { clock, log: logger, metrics, timings }: PoolDeps,
  wrap?: (clients: readonly NamedClient[]) => readonly NamedClient[],
): Promise<RpcPool> {
  const clients = rpcClients(rpcUrls, {
    headers: rpcHeaders,
    allowHttp: true,
    timeoutMs: timings.rpcTimeoutMs,
    clock,
    onRequest: ({ method, failure, seconds }, endpoint) => {
      metrics.rpcRequests.inc({ network: id, endpoint, method, outcome: failure ?? 'ok' })
      metrics.rpcDuration.observe({ network: id, endpoint, method }, seconds)
    },
    ...(!wrap && {
      onQueueLength: (queue, length, endpoint) => {
        metrics.rpcQueued.set({ network: id, endpoint, queue }, length)
      },
    }),
  })
  const endpoints = wrap ? wrap(clients) : clients
  const log = logger.child({ network: id })
  const pool = rpcPool({ endpoints, passphrase: passphrases[id], clock, log })
  await pool.identify()
  return pool
}
