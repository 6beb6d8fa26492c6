import { xdr } from '@stellar/stellar-sdk'
import { z } from 'zod'
import type { RpcContext } from '../context.ts'
import { ledgerRangeAsText } from '../context.ts'
import type { Cursor } from '../cursor.ts'
import { compareCursors, endOfLedger, formatCursor, parseCursor } from '../cursor.ts'
import { EventFilter, passesFilters, problemOfFilters } from '../event-filter.ts'
import type { LedgerEvent } from '../ledger-events.ts'
import { ledgerEvents } from '../ledger-events.ts'
import { readFormat, readParams, uint32, xdrFormat } from '../params.ts'
import { invalidParams, RpcFault } from '../rpc-fault.ts'
import type { XdrFields } from './xdr-fields.ts'
import { xdrFields } from './xdr-fields.ts'

const DEFAULT_LIMIT = 100
const MAX_LIMIT = 10_000
/** Ledgers that one request searches; the answer's cursor continues after them. */
const MAX_SCANNED_LEDGERS = 10_000

const Request = z.object({
  startLedger: uint32.nullish(),
  endLedger: uint32.nullish(),
  filters: z.array(EventFilter).nullish(),
  pagination: z.object({ cursor: z.string().nullish(), limit: uint32.nullish() }).nullish(),
  xdrFormat,
})
type Request = z.infer<typeof Request>

export function getEvents(context: RpcContext, params: unknown) {
  const request = readParams(Request, params)
  const fields = xdrFields(readFormat(request.xdrFormat))
  const problem = problemOf(request)
  if (problem) throw invalidParams(problem)
  const start = startOf(request)
  const { oldest, latest } = context.network
  if (start.ledger < oldest.sequence || start.ledger > latest.sequence) {
    throw new RpcFault(
      'invalidRequest',
      `startLedger must be within the ledger range: ${oldest.sequence} - ${latest.sequence}`,
    )
  }
  const limit = request.pagination?.limit || DEFAULT_LIMIT
  const end = endOf(request, start.ledger, latest.sequence)
  const found = search(context, start, end, request.filters ?? [], limit)
  const last = found.at(-1)
  return {
    events: found.map((event) => eventInfo(event, fields)),
    cursor: formatCursor(last && found.length === limit ? last.cursor : endOfLedger(end - 1)),
    ...ledgerRangeAsText(context),
  }
}

function problemOf({ startLedger, endLedger, pagination, filters }: Request): string | undefined {
  if (pagination?.cursor && (startLedger || endLedger)) {
    return 'ledger ranges and cursor cannot both be set'
  }
  if (!pagination?.cursor && !startLedger) return 'startLedger must be positive'
  if ((pagination?.limit ?? 0) > MAX_LIMIT) return `limit must not exceed ${MAX_LIMIT}`
  return problemOfFilters(filters ?? [])
}

/** Position of the first requested event; a cursor is that of the last event already received. */
function startOf({ startLedger, pagination }: Request): Cursor {
  if (!pagination?.cursor) {
    return { ledger: startLedger ?? 0, transaction: 0, operation: 0, event: 0 }
  }
  const cursor = parseCursor(pagination.cursor)
  return { ...cursor, event: cursor.event + 1 }
}

/** Exclusive. */
function endOf({ endLedger }: Request, start: number, latest: number): number {
  const end = Math.min(latest + 1, start + MAX_SCANNED_LEDGERS)
  return endLedger ? Math.min(endLedger, end) : end
}

function search(
  { network }: RpcContext,
  start: Cursor,
  end: number,
  filters: readonly EventFilter[],
  limit: number,
): LedgerEvent[] {
  const found: LedgerEvent[] = []
  for (const ledger of network.ledgersFrom(start.ledger)) {
    if (ledger.sequence >= end) break
    for (const event of ledgerEvents(ledger)) {
      if (compareCursors(event.cursor, start) < 0 || !passesFilters(filters, event)) continue
      found.push(event)
      if (found.length === limit) return found
    }
  }
  return found
}

function eventInfo(event: LedgerEvent, fields: XdrFields) {
  const { ledger, transaction, operation } = event.cursor
  return {
    type: event.type,
    ledger,
    ledgerClosedAt: new Date(event.closeTime * 1000).toISOString().replace('.000Z', 'Z'),
    contractId: event.contractId,
    id: formatCursor(event.cursor),
    operationIndex: operation,
    transactionIndex: transaction,
    txHash: event.txHash,
    inSuccessfulContractCall: event.successful,
    ...fields.list(['topic', 'topicJson'], xdr.ScVal, event.topicsXdr),
    ...fields.one(['value', 'valueJson'], xdr.ScVal, event.valueXdr),
  }
}
