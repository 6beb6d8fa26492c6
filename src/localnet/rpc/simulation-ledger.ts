import { xdr } from '@stellar/stellar-sdk'
import type { Localnet } from '../network.ts'
import type { LedgerContext } from '../soroban/ledger-context.ts'

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
