import { getEstimatedLedgerCloseTimeSeconds } from '@x402/stellar'
import type { NetworkId } from '../../platform/core/caip2.ts'
import type { StellarRpc } from '../../stellar/rpc/rpc.ts'

/** The limit of this project's facilitators by default; longer, the seller could keep and use a signed payment for too long. */
export const MAX_TIMEOUT_SECONDS = 900

/** The last ledger of an authorization that is signed now, as the stock client of `exact` computes it. Throws `RpcError`. */
export async function lastLedgerOf(
  rpc: Pick<StellarRpc, 'latestLedger'>,
  network: NetworkId,
  maxTimeoutSeconds: number,
): Promise<number> {
  const [latest, secondsPerLedger] = await Promise.all([
    rpc.latestLedger(),
    getEstimatedLedgerCloseTimeSeconds(network),
  ])
  return latest.sequence + Math.ceil(maxTimeoutSeconds / Math.max(1, secondsPerLedger))
}

/** Plain http reaches an embedded network; elsewhere, anyone on the way could change the answers. */
export const isOnThisMachine = (url: string): boolean =>
  ['localhost', '127.0.0.1', '[::1]'].includes(URL.parse(url)?.hostname ?? '')
