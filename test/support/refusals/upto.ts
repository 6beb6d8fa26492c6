import { uptoAuthorizationRefusals } from './upto-authorization.ts'
import { uptoCallRefusals } from './upto-call.ts'
import type { UptoRefusal } from './upto-refusal.ts'
import { uptoTermsRefusals } from './upto-terms.ts'

/** Refusals of the scheme `upto` that need no ledger, in the order of the checks. */
export const uptoRefusals: readonly UptoRefusal[] = [
  ...uptoTermsRefusals,
  ...uptoCallRefusals,
  ...uptoAuthorizationRefusals,
]
