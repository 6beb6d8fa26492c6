import { firstMatch } from '../../platform/core/language/first-match.ts'
import type { SimulationFailure } from '../../stellar/rpc/rpc.ts'
import { type HostFailure, readHostFailure } from '../../stellar/values/host-failure.ts'
import type { Finding } from '../checks/check.ts'
import type { SimulationRules } from '../schemes/scheme.ts'
import type { Cause, Diagnosis, FailedCall, PaymentParties } from './cause.ts'

/** The rules and the policy by which a failure is diagnosed. */
export interface DiagnosisTerms {
  readonly rules: Pick<SimulationRules, 'codes' | 'causes'>
  readonly policy: FailedCall['policy']
}

/**
 * Names the cause of a failed simulation. Any cause that the scheme does not know is `simulation_failed` with the
 * host's error message.
 */
export function diagnose(
  payment: PaymentParties,
  { error, events }: SimulationFailure,
  { rules, policy }: DiagnosisTerms,
): Finding {
  const failure = readHostFailure(error, events)
  const known = knownCause(rules.causes, { payment, failure, policy })
  if (known) return { code: known.code, message: known.message }
  return {
    code: rules.codes.simulationFailed,
    message: `the call fails in simulation: ${hostMessage(failure, error)}`,
  }
}

/** The cause of a failed call, in a simulation or on the ledger; undefined for one without a code of its own. */
export const knownCause = (causes: readonly Cause[], call: FailedCall): Diagnosis | undefined =>
  firstMatch(causes, (cause) => cause(call))

/** The host prints its whole event log below the first line. */
function hostMessage({ errors }: HostFailure, text: string): string {
  const firstLine = text.split('\n', 1)[0]?.trim() || 'the host gives no reason'
  const origin = errors[0]?.message
  return origin ? `${firstLine}, ${origin}` : firstLine
}
