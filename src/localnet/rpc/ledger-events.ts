import { StrKey, xdr } from '@stellar/stellar-sdk'
import type { AppliedTransaction, ClosedLedger } from '../closing/history.ts'
import type { Cursor } from './cursor.ts'
import { compareCursors, MAX_OPERATION, MAX_TRANSACTION } from './cursor.ts'
import type { FilteredEvent } from './event-filter.ts'
import { toBase64 } from './reads/xdr-fields.ts'

/** An event of a closed ledger, with all data of getEvents. */
export interface LedgerEvent extends FilteredEvent {
  readonly cursor: Cursor
  readonly closeTime: number
  readonly txHash: string
  readonly successful: boolean
  /** ScVal XDR. */
  readonly topicsXdr: readonly Uint8Array[]
  readonly valueXdr: Uint8Array
}

/** A closed ledger never changes, so its events are decoded once. */
const decoded = new WeakMap<ClosedLedger, readonly LedgerEvent[]>()

/**
 * The events of a ledger in the order of their ids: fee charges, then for each transaction the events of its
 * operations and those after it, then the events after all transactions.
 */
export function ledgerEvents(ledger: ClosedLedger): readonly LedgerEvent[] {
  const known = decoded.get(ledger)
  if (known) return known
  const counters = new Map<string, number>()
  const events = ledger.transactions
    .flatMap((transaction) => [
      ...feeEvents(transaction, counters),
      ...operationEvents(transaction),
    ])
    .toSorted((a, b) => compareCursors(a.cursor, b.cursor))
  decoded.set(ledger, events)
  return events
}

function operationEvents(transaction: AppliedTransaction): LedgerEvent[] {
  return transaction.contractEvents.flatMap((events, operation) =>
    events.map((bytes, event) => {
      const place = { transaction: transaction.applicationOrder, operation, event }
      return toEvent(transaction, xdr.ContractEvent.fromXdr(bytes), place)
    }),
  )
}

function feeEvents(transaction: AppliedTransaction, counters: Map<string, number>): LedgerEvent[] {
  return transaction.transactionEvents.map((bytes) => {
    const { stage, event } = xdr.TransactionEvent.fromXdr(bytes)
    const place = positionOfStage(stage, transaction.applicationOrder)
    const counter = `${place.transaction}/${place.operation}`
    const number = counters.get(counter) ?? 0
    counters.set(counter, number + 1)
    return toEvent(transaction, event, { ...place, event: number })
  })
}

function positionOfStage(stage: xdr.TransactionEventStage, order: number) {
  switch (stage.name) {
    case 'transactionEventStageBeforeAllTxs':
      return { transaction: 0, operation: 0 }
    case 'transactionEventStageAfterTx':
      return { transaction: order, operation: MAX_OPERATION }
    case 'transactionEventStageAfterAllTxs':
      return { transaction: MAX_TRANSACTION, operation: 0 }
  }
}

function toEvent(
  { ledger, closeTime, hash, successful }: AppliedTransaction,
  event: xdr.ContractEvent,
  place: Omit<Cursor, 'ledger'>,
): LedgerEvent {
  const topicsXdr = event.body.v0.topics.map((topic) => topic.toXdr())
  return {
    cursor: { ledger, ...place },
    closeTime,
    txHash: hash,
    successful,
    type: event.type.name,
    contractId: event.contractId ? StrKey.encodeContract(event.contractId.value) : '',
    topics: topicsXdr.map(toBase64),
    topicsXdr,
    valueXdr: event.body.v0.data.toXdr(),
  }
}
