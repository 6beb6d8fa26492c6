/** Every plan that a classic transaction may consist of: add new kinds of operations here. */
import fc from 'fast-check'
import {
  accountMerge,
  bumpSequence,
  createAccount,
  flags,
  manageData,
  mergeAndRecreate,
  signer,
  thresholds,
} from './operations/accounts.ts'
import type { OperationPlan } from './operations/operation-plan.ts'
import { clawback, mintOrBurn, pay, spendAll } from './operations/payments.ts'
import { revokeSponsorship, sponsoredOperations } from './operations/sponsoring.ts'
import { authorization, changeTrust } from './operations/trustlines.ts'

export const operationPlans: fc.Arbitrary<OperationPlan> = fc.oneof(
  ...[pay, mintOrBurn, clawback, spendAll],
  ...[
    createAccount,
    accountMerge,
    mergeAndRecreate,
    signer,
    flags,
    thresholds,
    manageData,
    bumpSequence,
  ],
  ...[changeTrust, authorization],
  ...[revokeSponsorship, sponsoredOperations],
)
