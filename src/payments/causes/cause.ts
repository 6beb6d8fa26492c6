import type { HostErrorEvent, HostFailure } from '../../stellar/values/host-failure.ts'
import type { Finding } from '../checks/check.ts'
import type { AcceptedAsset, SchemePolicies } from '../protocol/policy.ts'
import type { ReasonCode } from '../protocol/reasons.ts'

/** The facts of a payment that a diagnosis uses. */
export interface PaymentParties {
  readonly payer: string
  readonly payTo: string
  readonly asset: AcceptedAsset
}

/** A call that failed, in a simulation or on the ledger. */
export interface FailedCall {
  readonly payment: PaymentParties
  readonly failure: HostFailure
  readonly policy: SchemePolicies
}

export interface Diagnosis extends Finding {
  /** The owner of the account that is the cause, where the code alone does not say it. */
  readonly party?: 'payer' | undefined
}

/** Recognizes one cause of failure; undefined for any other. */
export type Cause = (call: FailedCall) => Diagnosis | undefined

/** A cause with one code: `find` returns the message when the failure has this cause. */
export const cause =
  (code: ReasonCode, find: (call: FailedCall) => string | undefined, party?: 'payer'): Cause =>
  (call) => {
    const message = find(call)
    return message === undefined ? undefined : { code, message, party }
  }

export const anyError = (
  { final, errors }: HostFailure,
  matches: (event: Pick<HostErrorEvent, 'error'>) => boolean,
): boolean => errors.some(matches) || (final !== undefined && matches({ error: final }))
