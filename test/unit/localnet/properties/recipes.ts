/** Everything that may be in a classic transaction: a new kind of operation is one more entry here. */
import fc from 'fast-check'
import {
  accountMerge,
  bumpSequence,
  createAccount,
  flags,
  manageData,
  rebirth,
  signer,
  thresholds,
} from './recipes/accounts.ts'
import { clawback, mintOrBurn, pay, spendAll } from './recipes/payments.ts'
import type { Scene } from './recipes/scene.ts'
import { revokeSponsorship, sandwich } from './recipes/sponsoring.ts'
import { authorization, changeTrust } from './recipes/trustlines.ts'

export const scenes: fc.Arbitrary<Scene> = fc.oneof(
  ...[pay, mintOrBurn, clawback, spendAll],
  ...[createAccount, accountMerge, rebirth, signer, flags, thresholds, manageData, bumpSequence],
  ...[changeTrust, authorization],
  ...[revokeSponsorship, sandwich],
)
