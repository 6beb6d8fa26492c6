import { xdr } from '@stellar/stellar-sdk'
import type { ClosedLedger } from '../../closing/history.ts'
import type { MetaVersion } from '../../transactions/apply/meta.ts'
import type { RpcContext } from '../context.ts'
import { ledgerRange } from '../context.ts'
import { ledgerCloseMeta } from '../ledger-close-meta.ts'
import { readPageRequest } from '../page-request.ts'
import { readFormat } from '../params.ts'
import { invalidParams } from '../rpc-fault.ts'
import type { XdrFields } from './xdr-fields.ts'
import { xdrFields } from './xdr-fields.ts'

const limits = { max: 200, default: 50 }

export function getLedgers(context: RpcContext, params: unknown) {
  const request = readPageRequest(context, params, limits)
  const fields = xdrFields(readFormat(request.xdrFormat))
  const start = request.cursor === '' ? request.startLedger : afterCursor(context, request.cursor)
  const { metaVersion } = context.network
  const ledgers: ClosedLedger[] = []
  for (const ledger of context.network.ledgersFrom(start)) {
    ledgers.push(ledger)
    if (ledgers.length === request.limit) break
  }
  return {
    ledgers: ledgers.map((ledger) => ledgerInfo(ledger, metaVersion, fields)),
    ...ledgerRange(context),
    cursor: String(ledgers.at(-1)?.sequence ?? start - 1),
  }
}

function afterCursor({ network }: RpcContext, cursor: string): number {
  const { oldest, latest } = network
  const start = Number(cursor) + 1
  if (!/^\d+$/.test(cursor)) {
    throw invalidParams(`strconv.ParseUint: parsing "${cursor}": invalid syntax`)
  }
  if (start < oldest.sequence || start > latest.sequence) {
    throw invalidParams(
      `cursor ('${cursor}') must be between the oldest ledger: ${oldest.sequence} and the latest ledger: ${latest.sequence} for this rpc instance`,
    )
  }
  return start
}

const ledgerInfo = (ledger: ClosedLedger, metaVersion: MetaVersion, fields: XdrFields) => ({
  hash: ledger.hash,
  sequence: ledger.sequence,
  ledgerCloseTime: String(ledger.closeTime),
  ...fields.one(['headerXdr', 'headerJson'], xdr.LedgerHeaderHistoryEntry, ledger.headerXdr),
  ...fields.one(
    ['metadataXdr', 'metadataJson'],
    xdr.LedgerCloseMeta,
    ledgerCloseMeta(ledger, metaVersion),
  ),
})
