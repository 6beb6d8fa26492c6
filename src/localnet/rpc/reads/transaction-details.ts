import { xdr } from '@stellar/stellar-sdk'
import type { AppliedTransaction } from '../../closing/history.ts'
import type { XdrFields } from './xdr-fields.ts'

/** The members common to getTransaction and getTransactions, without empty event lists. */
export function transactionDetails(transaction: AppliedTransaction, fields: XdrFields) {
  const { diagnosticEvents } = transaction
  return {
    status: transaction.successful ? 'SUCCESS' : 'FAILED',
    txHash: transaction.hash,
    applicationOrder: transaction.applicationOrder,
    feeBump: transaction.feeBump,
    ...fields.one(
      ['envelopeXdr', 'envelopeJson'],
      xdr.TransactionEnvelope,
      transaction.envelopeXdr,
    ),
    ...fields.one(['resultXdr', 'resultJson'], xdr.TransactionResult, transaction.resultXdr),
    ...fields.one(
      ['resultMetaXdr', 'resultMetaJson'],
      xdr.TransactionMeta,
      transaction.resultMetaXdr,
    ),
    ...(diagnosticEvents.length === 0
      ? {}
      : fields.list(
          ['diagnosticEventsXdr', 'diagnosticEventsJson'],
          xdr.DiagnosticEvent,
          diagnosticEvents,
        )),
    events: events(transaction, fields),
    ledger: transaction.ledger,
  }
}

function events({ transactionEvents, contractEvents }: AppliedTransaction, fields: XdrFields) {
  const ofTransaction = ['transactionEventsXdr', 'transactionEventsJson'] as const
  const ofContracts = ['contractEventsXdr', 'contractEventsJson'] as const
  return {
    ...(transactionEvents.length === 0
      ? {}
      : fields.list(ofTransaction, xdr.TransactionEvent, transactionEvents)),
    ...(contractEvents.length === 0
      ? {}
      : fields.lists(ofContracts, xdr.ContractEvent, contractEvents)),
  }
}
