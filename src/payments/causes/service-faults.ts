import { reasonsWhere, settleCodes } from '../protocol/reasons.ts'
import { type LedgerFailureCode, payersFaults } from './ledger-failure.ts'

/*
 * Failures of settlements that neither the payer nor the recipient can cause: an alert on them is one that an
 * administrator can answer, and that no caller can raise.
 */

/** Answers without a transaction: a settlement was refused before the network got it. */
const refusals: readonly string[] = reasonsWhere(({ isServiceFault }) => isServiceFault === true)

/** The network included the transaction in no ledger in time. */
export const EXPIRED = settleCodes.expired

/** Failures on the ledger: time, resources and fees are the service's estimate, except where the code of the payer decides them. */
const onLedger: readonly LedgerFailureCode[] = [
  'authorization_expired',
  'resource_limit_exceeded',
  'refundable_fee_exceeded',
  'call_failed',
  'trapped',
  'not_executed',
]

/** The reason of a failure on the ledger whose cause could not be read. */
export const UNKNOWN_CAUSE = 'unknown'

/** Every value of the label `reason` of `svc_settlement_failures_total`. */
export const serviceFaults: readonly string[] = [...refusals, EXPIRED, ...onLedger, UNKNOWN_CAUSE]

/** Whether an answer with this code and without a transaction is the service's fault. */
export const isServiceRefusal = (code: string): boolean => refusals.includes(code)

/** Whether a settlement of this payer that failed on the ledger for this cause is the service's fault; the cause may be unknown. */
export const isServiceLedgerFault = (
  cause: LedgerFailureCode | undefined,
  payer: string,
): boolean =>
  cause === undefined || (onLedger.includes(cause) && !payersFaults(payer).includes(cause))
