/** The input of the checks that need no ledger. Each group of checks relies on those that passed before it. */
import type { AddressEntry, ContractCall } from '../../stellar/authorization/auth-entry.ts'
import type { ClientEnvelope, HostInvocation } from '../../stellar/transactions/client-envelope.ts'
import type { PaymentPolicy } from '../protocol/policy.ts'
import type { PaymentRequest } from '../protocol/protocol.ts'

export interface RequestFacts {
  readonly request: PaymentRequest
  readonly policy: PaymentPolicy
}

/** The transaction as far as it could be read. */
export interface EnvelopeFacts extends RequestFacts {
  readonly transaction: string
  readonly envelope: ClientEnvelope | undefined
  /** Why the envelope could not be read. */
  readonly problem: string | undefined
}

/** One call of the function and the arguments that the scheme requires; one of them is the payer's address. */
export interface CallFacts extends RequestFacts {
  readonly envelope: ClientEnvelope
  readonly invocation: HostInvocation
  readonly call: ContractCall
  readonly payer: string
}

/** The payer's entry; present once the checks have passed. */
export const payerEntry = ({ invocation, payer }: CallFacts): AddressEntry | undefined =>
  addressEntries(invocation).find(({ address }) => address === payer)

export const addressEntries = ({ auth }: HostInvocation): AddressEntry[] =>
  auth.flatMap((entry) => (entry.credentials === 'sourceAccount' ? [] : [entry]))
