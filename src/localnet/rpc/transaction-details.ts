import { xdr } from '@stellar/stellar-sdk'
import type { AppliedTransaction } from '../history.ts'
import type { XdrMembers } from './xdr-fields.ts'

/** The members getTransaction and getTransactions share; empty event lists are left out. */
export function transactionDetails(transaction: AppliedTransaction, put: XdrMembers) {
  const { diagnosticEvents } = transaction
  return {
    status: transaction.successful ? 'SUCCESS' : 'FAILED',
    txHash: transaction.hash,
    applicationOrder: transaction.applicationOrder,
    feeBump: transaction.feeBump,
    ...put.one(['envelopeXdr', 'envelopeJson'], xdr.TransactionEnvelope, transaction.envelopeXdr),
    ...put.one(['resultXdr', 'resultJson'], xdr.TransactionResult, transaction.resultXdr),
    ...put.one(['resultMetaXdr', 'resultMetaJson'], xdr.TransactionMeta, transaction.resultMetaXdr),
    ...(diagnosticEvents.length === 0
      ? {}
      : put.list(
          ['diagnosticEventsXdr', 'diagnosticEventsJson'],
          xdr.DiagnosticEvent,
          diagnosticEvents,
        )),
    events: events(transaction, put),
    ledger: transaction.ledger,
  }
}

function events({ transactionEvents, contractEvents }: AppliedTransaction, put: XdrMembers) {
  const ofTransaction = ['transactionEventsXdr', 'transactionEventsJson'] as const
  const ofContracts = ['contractEventsXdr', 'contractEventsJson'] as const
  return {
    ...(transactionEvents.length === 0
      ? {}
      : put.list(ofTransaction, xdr.TransactionEvent, transactionEvents)),
    ...(contractEvents.length === 0
      ? {}
      : put.lists(ofContracts, xdr.ContractEvent, contractEvents)),
  }
}
