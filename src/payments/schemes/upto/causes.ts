/** Causes of failure that the calls of `upto` have besides those of every scheme. */
import { sameError } from '../../../stellar/values/host-failure.ts'
import type { Cause } from '../../causes/cause.ts'
import { sharedCauses } from '../../causes/shared.ts'
import type { ReasonCode } from '../../protocol/reasons.ts'
import type { OutcomeCodes } from '../scheme.ts'

interface ContractError {
  readonly code: ReasonCode
  readonly message: string
}

/** The errors of the settlement contract (`contracts/upto/src/lib.rs`), by its numbers. */
const contractErrors = ({
  expired,
  expirationTooFar,
  authorizationUsed,
}: OutcomeCodes): Readonly<Record<string, ContractError>> => ({
  '#1': {
    code: 'invalid_exact_stellar_requirements_invalid_amount',
    message: 'the settlement contract refuses a negative amount',
  },
  '#2': {
    code: 'invalid_upto_stellar_payload_settlement_exceeds_amount',
    message: 'the settlement contract refuses an amount above the ceiling',
  },
  '#3': {
    code: 'invalid_upto_stellar_payload_wrong_max_amount',
    message: 'the settlement contract refuses a ceiling that is not positive',
  },
  '#4': { code: expired, message: 'the authorization has expired' },
  '#5': {
    code: expirationTooFar,
    message: 'the authorization expires later than the network keeps its nonce',
  },
  '#6': { code: authorizationUsed, message: "the payer's authorization has been used already" },
})

/**
 * The error must begin in the settlement contract: one of the token passes through it, and has the same number as
 * another error here.
 */
const refusedByContract = (codes: OutcomeCodes): Cause => {
  const errors = contractErrors(codes)
  return ({ failure, policy }) => {
    const origin = failure.errors.find(({ error }) => sameError(error, failure.final))
    const isOwn = origin !== undefined && origin.contract === policy.upto?.contract
    return isOwn && origin.error.type === 'Contract' ? errors[origin.error.code] : undefined
  }
}

/** The causes in the order in which they are recognized. */
export const uptoCauses = (codes: OutcomeCodes): readonly Cause[] => [
  refusedByContract(codes),
  ...sharedCauses(codes),
]
