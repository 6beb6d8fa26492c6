import { z } from 'zod'
import { ledgerRange } from '../../history/ledger-range.ts'
import { type LedgerRange, RpcError } from '../rpc.ts'
import { networkAnswer, toRange } from '../rpc-answers.ts'
import type { CallRpc } from '../transport/json-rpc.ts'
import { checkedPage, notRetained } from './checked-page.ts'
import { envelopeHash } from './envelope-hash.ts'
import type { RawTransaction, TransactionsPage } from './transaction-pages.ts'
import {
  cursorAfter,
  type PageStart,
  readCursor,
  type TransactionPosition,
} from './transaction-position.ts'

const METHOD = 'getTransactions'

const count = z.coerce.number().int().min(0)

const listedTransaction = z.looseObject({
  status: z.enum(['SUCCESS', 'FAILED']),
  /** Versions before 22.1 leave it out. */
  txHash: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .optional(),
  ledger: count,
  createdAt: count,
  applicationOrder: count,
})
type ListedTransaction = z.output<typeof listedTransaction>

const pageAnswer = z.object({
  transactions: z.array(listedTransaction).nullish(),
  latestLedger: count,
  latestLedgerCloseTimestamp: count,
  oldestLedger: count,
  oldestLedgerCloseTimestamp: count,
  cursor: z.string().transform((text, context) => {
    const position = readCursor(text)
    if (position) return position
    context.addIssue('the cursor is no TOID')
    return z.NEVER
  }),
})

/**
 * `transactionsPage` of one endpoint. Its own cursors are used only where they go forward: Stellar RPC answers with the
 * beginning of the ledger, or with zero, when it finds no transaction after a cursor.
 */
export async function transactionsPage(
  call: CallRpc,
  start: PageStart,
  limit: number,
  signal?: AbortSignal,
): Promise<TransactionsPage> {
  const from = positionOf(start)
  // Sends a cursor, not `startLedger`: Stellar RPC accepts a cursor in a ledger that does not exist yet.
  const params = { pagination: { limit, cursor: cursorAfter(from) } }
  try {
    const answer = await call(METHOD, params, pageAnswer, signal)
    const range = toRange({
      ...answer,
      latestLedgerCloseTime: answer.latestLedgerCloseTimestamp,
      oldestLedgerCloseTime: answer.oldestLedgerCloseTimestamp,
    })
    const transactions = await withHashes(call, answer.transactions ?? [], signal)
    return checkedPage({ from, limit, transactions, end: answer.cursor, range })
  } catch (error) {
    if (!(error instanceof RpcError) || error.kind !== 'rejected') throw error
    return afterRejection(error, from, await ledgerRange(call, signal))
  }
}

function positionOf(start: PageStart): TransactionPosition {
  if ('startLedger' in start) return { ledger: start.startLedger, applicationOrder: 0 }
  const position = readCursor(start.cursor)
  if (!position) throw new RangeError(`not a cursor of ${METHOD}: ${start.cursor}`)
  return position
}

/** Versions differ in the codes and texts with which they reject a start. */
function afterRejection(
  error: RpcError,
  from: TransactionPosition,
  { latestLedger, latestCloseTime, oldestLedger, oldestCloseTime }: LedgerRange,
): TransactionsPage {
  if (from.ledger < oldestLedger) throw notRetained(from.ledger, oldestLedger, error)
  if (from.ledger <= latestLedger) throw error
  const range = { latestLedger, latestCloseTime, oldestLedger, oldestCloseTime }
  const cursor = cursorAfter(from)
  return { transactions: [], cursor, completeThrough: from.ledger - 1, ...range }
}

async function withHashes(
  call: CallRpc,
  listed: readonly ListedTransaction[],
  signal?: AbortSignal,
): Promise<readonly RawTransaction[]> {
  const lacksHash = listed.some(({ txHash }) => txHash === undefined)
  const passphrase = lacksHash ? await call('getNetwork', undefined, networkAnswer, signal) : ''
  return listed.map((raw) => {
    const { status, ledger, createdAt, applicationOrder, txHash = hashOf(raw, passphrase) } = raw
    return { status, txHash, ledger, createdAt, applicationOrder, raw }
  })
}

function hashOf({ envelopeXdr }: ListedTransaction, passphrase: string): string {
  try {
    const bytes = Buffer.from(String(envelopeXdr), 'base64')
    return envelopeHash(bytes, passphrase)
  } catch (cause) {
    throw new RpcError('unreadable', METHOD, 'a transaction without hash and envelope', { cause })
  }
}
