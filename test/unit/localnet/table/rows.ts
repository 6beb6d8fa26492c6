/** The table as a whole. */
import type { Row } from './row.ts'
import { accountMergeRows } from './rows/account-merge.ts'
import { bumpSequenceRows } from './rows/bump-sequence.ts'
import { changeTrustRows } from './rows/change-trust.ts'
import { clawbackRows } from './rows/clawback.ts'
import { createAccountRows } from './rows/create-account.ts'
import { feeBumpRows } from './rows/fee-bump.ts'
import { invocationRows } from './rows/invocations.ts'
import { lifetimeRows } from './rows/lifetimes.ts'
import { manageDataRows } from './rows/manage-data.ts'
import { paymentRows } from './rows/payment.ts'
import { revokeSponsorshipRows } from './rows/revoke-sponsorship.ts'
import { setOptionsRows } from './rows/set-options.ts'
import { setTrustLineFlagsRows } from './rows/set-trust-line-flags.ts'
import { settlementRows } from './rows/settlements.ts'
import { signatureRows } from './rows/signatures.ts'
import { sorobanValidityRows } from './rows/soroban-validity.ts'
import { sponsoringRows } from './rows/sponsoring.ts'
import { validityRows } from './rows/validity.ts'

export const allRows: Readonly<Record<string, readonly Row[]>> = {
  createAccount: createAccountRows,
  payment: paymentRows,
  changeTrust: changeTrustRows,
  setTrustLineFlags: setTrustLineFlagsRows,
  clawback: clawbackRows,
  setOptions: setOptionsRows,
  accountMerge: accountMergeRows,
  manageData: manageDataRows,
  bumpSequence: bumpSequenceRows,
  sponsoring: sponsoringRows,
  revokeSponsorship: revokeSponsorshipRows,
  validity: validityRows,
  signatures: signatureRows,
  feeBump: feeBumpRows,
  invocation: invocationRows,
  lifetime: lifetimeRows,
  sorobanValidity: sorobanValidityRows,
  settlement: settlementRows,
}
