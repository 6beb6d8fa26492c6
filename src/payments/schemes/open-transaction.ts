import { EnvelopeError, readClientEnvelope } from '../../stellar/transactions/client-envelope.ts'
import type { CallFacts, EnvelopeFacts, RequestFacts } from '../checks/facts.ts'
import { MAX_TRANSACTION_CHARS } from '../checks/structure.ts'

/** Reads `payload.transaction` as far as it can be read. */
export function openTransaction({ request, policy }: RequestFacts): EnvelopeFacts {
  const transaction = String(request.paymentPayload.payload['transaction'])
  const unread = { request, policy, transaction, envelope: undefined, problem: undefined }
  // The structure checks refuse it for its size.
  if (transaction.length > MAX_TRANSACTION_CHARS) return unread
  try {
    return { ...unread, envelope: readClientEnvelope(transaction) }
  } catch (error) {
    if (!(error instanceof EnvelopeError)) throw error
    return { ...unread, problem: error.message }
  }
}

/**
 * The one call of the transaction, paid by the address in its argument `payerArgument`. Throws unless the structure
 * checks passed.
 */
export function readCall(
  { request, policy, envelope }: EnvelopeFacts,
  payerArgument: number,
): CallFacts {
  const invocation = envelope?.operations[0]?.invocation
  const call = invocation?.call
  const from = call?.args[payerArgument]
  if (!envelope || !invocation || !call || from?.type !== 'address') {
    throw new Error('the structure checks let an unreadable transaction through')
  }
  return { request, policy, envelope, invocation, call, payer: from.value }
}
