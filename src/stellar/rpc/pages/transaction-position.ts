/**
 * Cursors of `getTransactions`: the place of a transaction as a TOID (SEP-35), ledger in 32 bits, application order in
 * 20, operation in 12. A page begins with the transaction after the cursor's.
 */
export interface TransactionPosition {
  readonly ledger: number
  /** From 1 on; 0 is before the first one of the ledger. */
  readonly applicationOrder: number
}

/**
 * Where a page begins: with the first transaction of a ledger, or after the last one of another page, of any endpoint
 * of the network.
 */
export type PageStart = { readonly startLedger: number } | { readonly cursor: string }

const ORDER_BITS = 20n
const OPERATION_BITS = 12n
const MAX_ORDER = (1n << ORDER_BITS) - 1n

export const cursorAfter = ({ ledger, applicationOrder }: TransactionPosition): string =>
  String(
    (BigInt(ledger) << (ORDER_BITS + OPERATION_BITS)) |
      (BigInt(applicationOrder) << OPERATION_BITS),
  )

/** Undefined when the text is not a TOID. */
export function readCursor(text: string): TransactionPosition | undefined {
  if (!/^\d{1,19}$/.test(text)) return undefined
  const id = BigInt(text)
  return {
    ledger: Number(id >> (ORDER_BITS + OPERATION_BITS)),
    applicationOrder: Number((id >> OPERATION_BITS) & MAX_ORDER),
  }
}
