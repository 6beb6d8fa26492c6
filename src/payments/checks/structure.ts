/** Whether the transaction can be read and is one call of a contract, on the terms of the requirements. */
import type { PaymentRequirements } from '../protocol/protocol.ts'
import type { ReasonCode } from '../protocol/reasons.ts'
import { type Check, rule } from './check.ts'
import type { EnvelopeFacts, RequestFacts } from './facts.ts'

/** Base64 characters. A signed transfer has about 1,000; a smart account's signature adds some. */
export const MAX_TRANSACTION_CHARS = 64 * 1024

/** A member of an `accepts` entry that binds the parties, by its name. */
export type BindingMembers = Readonly<Record<string, (entry: PaymentRequirements) => unknown>>

/** Everything else in an entry is description. */
export const bindingMembers = {
  scheme: ({ scheme }) => scheme,
  network: ({ network }) => network,
  asset: ({ asset }) => asset,
  payTo: ({ payTo }) => payTo,
  amount: ({ amount }) => amount,
  maxTimeoutSeconds: ({ maxTimeoutSeconds }) => maxTimeoutSeconds,
  'extra.areFeesSponsored': ({ extra }) => extra?.['areFeesSponsored'],
} as const satisfies BindingMembers

/** Undefined when the entry that the client accepted binds to what the requirements say. */
export function mismatch(
  { request: { paymentPayload, paymentRequirements } }: RequestFacts,
  members: BindingMembers,
): string | undefined {
  const differs = Object.entries(members).find(
    ([, read]) => read(paymentPayload.accepted) !== read(paymentRequirements),
  )
  if (!differs) return undefined
  const [name, read] = differs
  const actual = JSON.stringify(read(paymentPayload.accepted)) ?? 'missing'
  const required = JSON.stringify(read(paymentRequirements)) ?? 'missing'
  return `accepted.${name} is ${actual}, the requirements say ${required}`
}

export const notTooLarge: Check<EnvelopeFacts> = rule(
  'transaction is not too large',
  'invalid_exact_stellar_payload_too_large',
  ({ transaction }) =>
    transaction.length > MAX_TRANSACTION_CHARS
      ? `the transaction has ${transaction.length} base64 characters, at most ${MAX_TRANSACTION_CHARS} are read`
      : undefined,
)

/** @param code of the scheme, for what cannot be read */
export const readable = (code: ReasonCode): Check<EnvelopeFacts> =>
  rule('transaction can be read', code, (facts) => facts.problem)

export const oneInvocation: Check<EnvelopeFacts> = rule(
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
)
