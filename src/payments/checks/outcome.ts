/** Whether the service can pay for what the simulated call needs. */
import type { OutcomeCodes, OutcomeFacts } from '../schemes/scheme.ts'
import { type Check, rule } from './check.ts'

export const stateIsLive: Check<OutcomeFacts> = rule(
  'state is live',
  'invalid_exact_stellar_payload_archived_state',
  ({ simulation }) =>
    simulation.needsRestore
      ? 'a ledger entry that the payment needs is archived and must be restored first'
      : undefined,
)

export const feeUnderCeiling = ({
  feeExceedsMaximum,
}: Pick<OutcomeCodes, 'feeExceedsMaximum'>): Check<OutcomeFacts> =>
  rule('fee is under the ceiling', feeExceedsMaximum, ({ totalFee, policy }) =>
    totalFee > policy.maxTxFeeStroops
      ? `the settlement would cost up to ${totalFee} stroops, the ceiling is ${policy.maxTxFeeStroops}`
      : undefined,
  )
