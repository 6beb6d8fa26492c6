import type { AppliedTransaction } from '../../closing/history.ts'
import type { RpcContext } from '../context.ts'
import { parseToid, toid } from '../cursor.ts'
import { readPageRequest } from '../page-request.ts'
import { readFormat } from '../params.ts'
import { invalidParams } from '../rpc-fault.ts'
import { transactionDetails } from './transaction-details.ts'
import { xdrFields } from './xdr-fields.ts'

const limits = { max: 200, default: 50 }

export function getTransactions(context: RpcContext, params: unknown) {
  const request = readPageRequest(context, params, limits)
  const fields = xdrFields(readFormat(request.xdrFormat))
  const start = startOf(request)
  const { oldest, latest } = context.network
  const page = transactionsFrom(context, start, request.limit)
  const last = page.at(-1)
  const end =
    last && page.length === request.limit
      ? toid(last.ledger, last.applicationOrder, 1)
      : toid(latest.sequence, context.network.latest.transactions.length, 1)
  return {
    transactions: page.map((transaction) => ({
      ...transactionDetails(transaction, fields),
      createdAt: transaction.closeTime,
    })),
    latestLedger: latest.sequence,
    latestLedgerCloseTimestamp: latest.closeTime,
    oldestLedger: oldest.sequence,
    oldestLedgerCloseTimestamp: oldest.closeTime,
    cursor: String(end),
  }
}

/** Ledger and application order of the first requested transaction. */
interface Start {
  readonly ledger: number
  readonly order: number
}

function startOf({ cursor, startLedger }: { cursor: string; startLedger: number }): Start {
  if (cursor === '') return { ledger: startLedger, order: 1 }
  const place = parseToid(cursor)
  if (!place) throw invalidParams(`strconv.ParseInt: parsing "${cursor}": invalid syntax`)
  return { ledger: place.ledger, order: place.transaction + 1 }
}

function transactionsFrom(
  { network }: RpcContext,
  start: Start,
  limit: number,
): AppliedTransaction[] {
  const page: AppliedTransaction[] = []
  if (start.ledger < network.oldest.sequence) {
    throw invalidParams(`database does not contain metadata for ledger: ${start.ledger}`)
  }
  for (const { sequence, transactions } of network.ledgersFrom(start.ledger)) {
    for (const transaction of transactions) {
      if (sequence === start.ledger && transaction.applicationOrder < start.order) continue
      page.push(transaction)
      if (page.length === limit) return page
    }
  }
  return page
}
