import { xdr } from '@stellar/stellar-sdk'
import type { Clock } from '../../core/clock.ts'
import type { Localnet } from '../network.ts'
import type { LedgerContext } from '../soroban/ledger-context.ts'

/** What every method of the RPC reads from. */
export interface RpcContext {
  readonly network: Localnet
  readonly clock: Clock
  /** Where accounts are funded; told by getNetwork. */
  readonly friendbotUrl: string
  /** Milliseconds between ledgers, or `manual`, where nothing is ever late. */
  readonly closeEveryMs: number | 'manual'
}

/** The retained ledgers, as most answers tell them. Close times are unix seconds. */
export function ledgerRange({ network }: RpcContext) {
  const { latest, oldest } = network
  return {
    latestLedger: latest.sequence,
    latestLedgerCloseTime: latest.closeTime,
    oldestLedger: oldest.sequence,
    oldestLedgerCloseTime: oldest.closeTime,
  }
}

/** The same with close times as text, which is how the older methods of Stellar RPC write them. */
export function ledgerRangeAsText(context: RpcContext) {
  const range = ledgerRange(context)
  return {
    ...range,
    latestLedgerCloseTime: String(range.latestLedgerCloseTime),
    oldestLedgerCloseTime: String(range.oldestLedgerCloseTime),
  }
}

/** The newest closed ledger as the host sees it: Stellar RPC simulates in it, not in the next. */
export function latestLedgerContext({ latest, networkId }: Localnet): LedgerContext {
  const { header } = xdr.LedgerHeaderHistoryEntry.fromXdr(latest.headerXdr)
  return {
    sequence: latest.sequence,
    closeTime: latest.closeTime,
    networkId,
    baseReserve: header.baseReserve,
  }
}
