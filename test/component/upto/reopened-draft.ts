import { xdr } from '@stellar/stellar-sdk'
import type { PaymentBody, PaymentDraft } from '../../support/payments.ts'

/** A signed payment again in parts, from its bytes: to change it once more takes no new signature. */
export function reopened({
  body,
  transaction: bytes,
}: {
  readonly body: PaymentBody
  readonly transaction: Uint8Array
}): PaymentDraft {
  const transaction = xdr.Transaction.fromXdr(bytes)
  const [operation] = transaction.operations
  const called = operation?.body
  if (!operation || called?.type !== 'invokeHostFunction') throw new Error('not a payment')
  const invocation = called.invokeHostFunctionOp
  const { hostFunction, auth } = invocation
  const [entry] = auth
  if (hostFunction.type !== 'hostFunctionTypeInvokeContract' || !entry) {
    throw new Error('not an authorized call')
  }
  const { credentials } = entry
  if (credentials.type !== 'sorobanCredentialsAddressV2') throw new Error('not of an address')
  return {
    body,
    transaction,
    signatures: [],
    operation,
    invocation,
    call: hostFunction.invokeContract,
    entry,
    credentials: credentials.addressV2,
  }
}
