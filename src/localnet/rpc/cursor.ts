import { invalidParams } from './rpc-fault.ts'

/** Position of an event; as text the 19-digit TOID (SEP-35), a dash, and the event's number. */
export interface Cursor {
  readonly ledger: number
  readonly transaction: number
  readonly operation: number
  readonly event: number
}

const TRANSACTION_BITS = 20n
const OPERATION_BITS = 12n
export const MAX_TRANSACTION = 2 ** Number(TRANSACTION_BITS) - 1
export const MAX_OPERATION = 2 ** Number(OPERATION_BITS) - 1
const MAX_EVENT = 0xffff_ffff

/** The TOID of SEP-35: ledger in 32 bits, transaction in 20, operation in 12. */
export const toid = (ledger: number, transaction: number, operation: number): bigint =>
  (BigInt(ledger) << (TRANSACTION_BITS + OPERATION_BITS)) |
  (BigInt(transaction) << OPERATION_BITS) |
  BigInt(operation)

export const formatCursor = ({ ledger, transaction, operation, event }: Cursor): string =>
  `${toid(ledger, transaction, operation).toString().padStart(19, '0')}-${String(event).padStart(10, '0')}`

/** The last position in a ledger: the cursor of a search that found less than its limit. */
export const endOfLedger = (ledger: number): Cursor => ({
  ledger,
  transaction: MAX_TRANSACTION,
  operation: MAX_OPERATION,
  event: MAX_EVENT,
})

export function parseToid(text: string): Omit<Cursor, 'event'> | undefined {
  if (!/^\d{1,19}$/.test(text)) return undefined
  const id = BigInt(text)
  return {
    ledger: Number(id >> (TRANSACTION_BITS + OPERATION_BITS)),
    transaction: Number((id >> OPERATION_BITS) & BigInt(MAX_TRANSACTION)),
    operation: Number(id & BigInt(MAX_OPERATION)),
  }
}

/** Throws Stellar RPC's error when the text is not an event id. */
export function parseCursor(text: string): Cursor {
  const [id = '', event = ''] = text.split('-', 2)
  const place = parseToid(id)
  if (!place || !/^\d{1,10}$/.test(event) || Number(event) > MAX_EVENT) {
    throw invalidParams('invalid parameters', `invalid event id ${text}`)
  }
  return { ...place, event: Number(event) }
}

/** Negative, zero or positive when `a` is before, equal to or after `b`. */
export const compareCursors = (a: Cursor, b: Cursor): number =>
  a.ledger - b.ledger ||
  a.transaction - b.transaction ||
  a.operation - b.operation ||
  a.event - b.event
