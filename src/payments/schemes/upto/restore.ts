import { type Check, rule } from '../../checks/check.ts'
import type { OutcomeFacts } from '../scheme.ts'

/**
 * The keeper restores the contract. A settlement that restored it would cost the sponsor many times its fee, which the
 * payer's check of the fee would refuse anyway. Code that is archived need not be this contract's: the payer's smart
 * account has code too, and the ledger names code by its hash alone.
 */
export const contractIsLive: Check<OutcomeFacts> = rule(
  'the contract is live',
  'invalid_upto_stellar_ledger_entry_restore_required',
  ({ simulation: { archived }, policy }) =>
    archived?.hasCode || archived?.instances.some((each) => each === policy.upto?.contract)
      ? `the settlement contract ${policy.upto?.contract} or its code is archived and must be restored first`
      : undefined,
)
