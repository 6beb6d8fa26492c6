import { EnvelopeError, readClientEnvelope } from '../stellar/client-envelope.ts'
import { accountChecks } from './checks/accounts.ts'
import { authorizationChecks } from './checks/authorization.ts'
import { type Check, type Finding, firstFinding } from './checks/check.ts'
import { type CallFacts, type EnvelopeFacts, payerEntry } from './checks/facts.ts'
import { policyChecks, readAmount, requiredAsset } from './checks/policy.ts'
import { protocolChecks } from './checks/protocol.ts'
import { MAX_TRANSACTION_CHARS, structureChecks } from './checks/structure.ts'
import type { ExactPayment } from './payment.ts'
import type { PaymentPolicy } from './policy.ts'
import type { PaymentRequest } from './protocol.ts'
import type { Refusal } from './refusal.ts'

export type CheckedPayment =
  | { readonly ok: true; readonly payment: ExactPayment }
  | { readonly ok: false; readonly refusal: Refusal }

/** Checks before the transaction is decoded; the first finding is the answer. */
export const requestChecks = [...protocolChecks, ...policyChecks]

/** Checks of the call and its authorization; the first finding is the answer. */
export const callChecks: readonly Check<CallFacts>[] = [...accountChecks, ...authorizationChecks]

/**
 * Every check of a payment that needs no ledger, in the documented order: protocol, policy, structure,
 * accounts and amount, authorization. Pure; never throws.
 */
export function checkPayment(request: PaymentRequest, policy: PaymentPolicy): CheckedPayment {
  const requestFinding = firstFinding(requestChecks, { request, policy })
  if (requestFinding) return refused(requestFinding)

  const opened = openTransaction(request, policy)
  const structureFinding = firstFinding(structureChecks, opened)
  if (structureFinding) return refused(structureFinding)

  const facts = readCall(opened)
  const callFinding = firstFinding(callChecks, facts)
  return callFinding ? refused(callFinding, facts) : { ok: true, payment: toPayment(facts) }
}

function openTransaction(request: PaymentRequest, policy: PaymentPolicy): EnvelopeFacts {
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

/** Requires that the structure checks passed. */
function readCall({ request, policy, envelope }: EnvelopeFacts): CallFacts {
  const invocation = envelope?.operations[0]?.invocation
  const call = invocation?.call
  const from = call?.args[0]
  if (!envelope || !invocation || !call || from?.type !== 'address') {
    throw new Error('the structure checks let an unreadable transaction through')
  }
  return { request, policy, envelope, invocation, call, payer: from.value }
}

/** Requires that all checks passed. */
function toPayment(facts: CallFacts): ExactPayment {
  const { request, invocation, payer } = facts
  const { payTo, maxTimeoutSeconds } = request.paymentRequirements
  const asset = requiredAsset(facts)
  const amount = readAmount(request.paymentRequirements.amount)
  const authorization = payerEntry(facts)
  if (!payTo || !asset || !amount || !maxTimeoutSeconds || !authorization) {
    throw new Error('the checks let an incomplete payment through')
  }
  return { request, payer, payTo, asset, amount, maxTimeoutSeconds, authorization, invocation }
}

const refused = (finding: Finding, facts?: CallFacts): CheckedPayment => ({
  ok: false,
  refusal:
    facts && !facts.policy.isOwnAccount(facts.payer)
      ? { ...finding, payer: facts.payer }
      : { ...finding },
})
