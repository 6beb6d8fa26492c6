import type { NetworkId } from '../core/caip2.ts'
import { passphrases } from '../core/caip2.ts'
import type { Clock } from '../core/clock.ts'
import type { ReachedNetwork } from '../operator/channel-pool/connect.ts'
import { rpcClients } from '../stellar/rpc-client.ts'
import { rpcPool } from '../stellar/rpc-pool.ts'
import type { Logger } from '../telemetry/logger.ts'

const RPC_TIMEOUT_MS = 5_000

/**
 * Opens the endpoints in a `rpcKey`. The API server has validated them with the resource, so plain http
 * is allowed here. Throws `RpcError` when all of them serve another network.
 */
export async function openPoolNetwork(
  key: string,
  { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
): Promise<ReachedNetwork> {
  const [network, , ...urls]: [NetworkId, boolean, ...string[]] = JSON.parse(key)
  const endpoints = rpcClients(urls, { allowHttp: true, timeoutMs: RPC_TIMEOUT_MS })
  const log = logger.child({ network })
  const rpc = rpcPool({ endpoints, passphrase: passphrases[network], clock, log })
  await rpc.identify()
  return { rpc, [Symbol.asyncDispose]: async () => undefined }
}
