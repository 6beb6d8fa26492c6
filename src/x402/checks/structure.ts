/** Whether the transaction is what the scheme requires: one call of `transfer` with three arguments. */
import type { PaymentRequirements } from '../protocol.ts'
import { type Check, rule } from './check.ts'
import type { EnvelopeFacts } from './facts.ts'

/** Base64 characters. A signed transfer has about 1,000; a smart account's signature adds some. */
export const MAX_TRANSACTION_CHARS = 64 * 1024

/** The members of an `accepts` entry that bind the parties; everything else is description. */
const bindingMembers: Record<string, (entry: PaymentRequirements) => unknown> = {
  scheme: ({ scheme }) => scheme,
  network: ({ network }) => network,
  asset: ({ asset }) => asset,
  payTo: ({ payTo }) => payTo,
  amount: ({ amount }) => amount,
  maxTimeoutSeconds: ({ maxTimeoutSeconds }) => maxTimeoutSeconds,
  'extra.areFeesSponsored': ({ extra }) => extra?.['areFeesSponsored'],
}

export const structureChecks: readonly Check<EnvelopeFacts>[] = [
  rule(
    'accepted equals required',
    'invalid_exact_stellar_payload_accepted_mismatch',
    ({ request: { paymentPayload, paymentRequirements } }) => {
      const differs = Object.entries(bindingMembers).find(
        ([, read]) => read(paymentPayload.accepted) !== read(paymentRequirements),
      )
      if (!differs) return undefined
      const [name, read] = differs
      const actual = JSON.stringify(read(paymentPayload.accepted)) ?? 'missing'
      const required = JSON.stringify(read(paymentRequirements)) ?? 'missing'
      return `accepted.${name} is ${actual}, the requirements say ${required}`
    },
  ),

  rule(
    'transaction is not too large',
    'invalid_exact_stellar_payload_too_large',
    ({ transaction }) =>
      transaction.length > MAX_TRANSACTION_CHARS
        ? `the transaction has ${transaction.length} base64 characters, at most ${MAX_TRANSACTION_CHARS} are read`
        : undefined,
  ),

  rule(
    'transaction can be read',
    'invalid_exact_stellar_payload_malformed',
    (facts) => facts.problem,
  ),

  rule(
    'transaction holds one contract invocation',
    'invalid_exact_stellar_payload_wrong_operation',
    ({ envelope }) => {
      const operations = envelope?.operations ?? []
      const [operation] = operations
      if (operations.length !== 1) {
        return `the transaction has ${operations.length} operations, expected one invokeHostFunction`
      }
      if (!operation?.invocation) {
        return `the operation is ${operation?.type}, expected invokeHostFunction`
      }
      return operation.invocation.call
        ? undefined
        : 'the operation uploads or creates a contract, expected it to invoke one'
    },
  ),

  rule(
    'the call is transfer with three arguments',
    'invalid_exact_stellar_payload_wrong_function_name',
    ({ envelope }) => {
      const call = envelope?.operations[0]?.invocation?.call
      if (call?.functionName === 'transfer' && call.args.length === 3) return undefined
      return `the call is ${call?.functionName} with ${call?.args.length} arguments, expected transfer with 3`
    },
  ),

  rule(
    'the first argument is an address that can pay',
    'invalid_exact_stellar_payload_malformed',
    ({ envelope }) => {
      const from = envelope?.operations[0]?.invocation?.call?.args[0]
      const mayPay = from?.type === 'address' && /^[GC]/.test(from.value)
      return mayPay ? undefined : 'argument 0 of transfer is not a G or C address'
    },
  ),
]
