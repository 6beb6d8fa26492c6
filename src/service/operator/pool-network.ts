import type { ReachedNetwork } from '../../kubernetes/operator/channel-pool/connect/connect.ts'
import { readRpcKey } from '../../kubernetes/operator/channel-pool/connect/rpc.ts'
import { passphrases } from '../../platform/core/caip2.ts'
import { AsyncDisposableStack } from '../../platform/core/language/disposable-stack.ts'
import type { SteadyClock } from '../../platform/core/time/clock.ts'
import type { OwnFetch } from '../../platform/http/guarded-fetch/fetch-with-lookup.ts'
import type { Logger } from '../../platform/telemetry/logs/logger.ts'
import { rpcPool } from '../../stellar/rpc/pool/rpc-pool.ts'
import { rpcClients } from '../../stellar/rpc/rpc-client.ts'

const RPC_TIMEOUT_MS = 5_000
/** 200 accounts with 20 signers each have 0.7 MiB, 1,000 events of XLM 0.9 MiB. The tenant chooses the endpoints of its pool. */
const MAX_ANSWER_BYTES = 2 * 1024 * 1024

export interface PoolNetworkDeps {
  readonly clock: SteadyClock
  readonly logger: Logger
  /** Opens the connections of one network, which end with it. @default those of node */
  readonly openFetch?: () => OwnFetch
}

/**
 * Opens the endpoints in a `rpcKey`. The API server has validated them with the resource, so plain http
 * is allowed here. Throws `RpcError` when all of them serve another network.
 */
export async function openPoolNetwork(
  key: string,
  { clock, logger, openFetch = sharedFetch }: PoolNetworkDeps,
): Promise<ReachedNetwork> {
  await using opened = new AsyncDisposableStack()
  const { fetch } = opened.use(openFetch())
  const { network, urls, headers } = readRpcKey(key)
  const limits = { timeoutMs: RPC_TIMEOUT_MS, maxAnswerBytes: MAX_ANSWER_BYTES, fetch }
  const endpoints = rpcClients(urls, { headers, allowHttp: true, ...limits })
  const log = logger.child({ network })
  const rpc = rpcPool({ endpoints, passphrase: passphrases[network], clock, log })
  await rpc.identify()
  const connections = opened.move()
  return { rpc, [Symbol.asyncDispose]: () => connections.disposeAsync() }
}

const sharedFetch = (): OwnFetch => ({ fetch, [Symbol.asyncDispose]: async () => undefined })
