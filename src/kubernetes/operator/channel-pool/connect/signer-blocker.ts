import type { SignerError, SignerProblem } from '../../../../stellar/accounts/envelope-signer.ts'
import { PoolBlocked } from './blockers.ts'

const reasons = {
  unreachable: 'SignerUnreachable',
  invalid: 'SignerUnreachable',
  denied: 'SignerDenied',
  refused: 'SignerDenied',
  no_key: 'SponsorKeyMismatch',
} as const satisfies Readonly<Record<SignerProblem, PoolBlocked['reason']>>

const todo: Readonly<Record<SignerProblem, string>> = {
  unreachable: 'See that it runs, and that the operator reaches it.',
  invalid: 'See which program answers there.',
  denied: 'Give the operator credentials that it accepts.',
  refused: 'Change the rule of the signer, or what the pool asks for.',
  no_key: 'Correct spec.sponsor.',
}

/** The reason of a pool whose signer gives no signature. */
export const signerBlocker = (error: SignerError): PoolBlocked =>
  new PoolBlocked(reasons[error.problem], `${error.message} ${todo[error.problem]}`, {
    cause: error,
  })
