import type { RpcContext } from '../context.ts'
import { ledgerRange } from '../context.ts'
import { RpcFault } from '../rpc-fault.ts'

/** Stellar RPC's default: with an older latest ledger it is unhealthy. */
const MAX_LEDGER_AGE_MS = 30_000

export function getHealth(context: RpcContext) {
  const { network, clock, closeEveryMs } = context
  const ageMs = clock.now() - network.latest.closeTime * 1000
  if (closeEveryMs !== 'manual' && ageMs > Math.max(MAX_LEDGER_AGE_MS, 3 * closeEveryMs)) {
    const age = `${Math.round(ageMs / 1000)}s`
    throw new RpcFault(
      'internalError',
      `latency (${age}) since last known ledger closed is too high (>${MAX_LEDGER_AGE_MS / 1000}s)`,
    )
  }
  return {
    status: 'healthy',
    ...ledgerRange(context),
    ledgerRetentionWindow: network.latest.sequence - network.oldest.sequence + 1,
  }
}
