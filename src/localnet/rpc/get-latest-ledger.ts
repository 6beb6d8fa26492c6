import { xdr } from '@stellar/stellar-sdk'
import type { RpcContext } from './context.ts'
import { ledgerCloseMeta } from './ledger-close-meta.ts'
import { toBase64 } from './xdr-members.ts'

export function getLatestLedger({ network }: RpcContext) {
  const { latest } = network
  const { header } = xdr.LedgerHeaderHistoryEntry.fromXdr(latest.headerXdr)
  return {
    id: latest.hash,
    protocolVersion: network.host.protocol,
    sequence: latest.sequence,
    closeTime: String(latest.closeTime),
    headerXdr: toBase64(header.toXdr()),
    metadataXdr: toBase64(ledgerCloseMeta(latest, network.metaVersion)),
  }
}
