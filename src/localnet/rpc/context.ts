import { xdr } from '@stellar/stellar-sdk'
import type { Clock } from '../../platform/core/time/clock.ts'
import type { Localnet } from '../network.ts'
import type { LedgerContext } from '../soroban/ledger-context.ts'

/** Dependencies of the RPC methods. */
export interface RpcContext {
  readonly network: Localnet
  readonly clock: Clock
  /** Part of the answer of getNetwork. */
  readonly friendbotUrl: string
  /** Milliseconds between ledgers, or `manual`: getHealth then never reports a late ledger. */
  readonly closeEveryMs: number | 'manual'
}

/** The ledger range in most answers. Close times are unix seconds. */
export function ledgerRange({ network }: RpcContext) {
  const { latest, oldest } = network
  return {
    latestLedger: latest.sequence,
    latestLedgerCloseTime: latest.closeTime,
    oldestLedger: oldest.sequence,
    oldestLedgerCloseTime: oldest.closeTime,
  }
}

/** With close times as strings, as in the older methods of Stellar RPC. */
export function ledgerRangeAsText(context: RpcContext) {
  const range = ledgerRange(context)
  return {
    ...range,
    latestLedgerCloseTime: String(range.latestLedgerCloseTime),
    oldestLedgerCloseTime: String(range.oldestLedgerCloseTime),
  }
}

/** The latest closed ledger: Stellar RPC simulates in it, not in the next one. */
export function latestLedgerContext({ latest, networkId }: Localnet): LedgerContext {
  const { header } = xdr.LedgerHeaderHistoryEntry.fromXdr(latest.headerXdr)
  return {
    sequence: latest.sequence,
    closeTime: latest.closeTime,
    networkId,
    baseReserve: header.baseReserve,
  }
}
