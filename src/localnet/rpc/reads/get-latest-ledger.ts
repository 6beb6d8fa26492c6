import { xdr } from '@stellar/stellar-sdk'
import type { ClosedLedger } from '../../closing/history.ts'
import type { Localnet } from '../../network.ts'
import type { RpcContext } from '../context.ts'
import { ledgerCloseMeta } from '../ledger-close-meta.ts'
import { toBase64 } from './xdr-fields.ts'

interface EncodedLedger {
  readonly headerXdr: string
  readonly metadataXdr: string
}

/** Clients poll the same ledger, and a full one takes milliseconds to encode. */
const encoded = new WeakMap<ClosedLedger, EncodedLedger>()

export function getLatestLedger({ network }: RpcContext) {
  const { latest } = network
  return {
    id: latest.hash,
    protocolVersion: network.host.protocol,
    sequence: latest.sequence,
    closeTime: String(latest.closeTime),
    ...encodedOnce(latest, network.metaVersion),
  }
}

/** The cache needs no version: a network has one meta version, and a ledger belongs to one network. */
function encodedOnce(ledger: ClosedLedger, version: Localnet['metaVersion']): EncodedLedger {
  const known = encoded.get(ledger)
  if (known) return known
  const { header } = xdr.LedgerHeaderHistoryEntry.fromXdr(ledger.headerXdr)
  const fresh = {
    headerXdr: toBase64(header.toXdr()),
    metadataXdr: toBase64(ledgerCloseMeta(ledger, version)),
  }
  encoded.set(ledger, fresh)
  return fresh
}
