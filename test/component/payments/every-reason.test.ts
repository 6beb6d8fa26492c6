import { expect, test } from 'vitest'
import { reasons } from '../../../src/payments/protocol/reasons.ts'
import { accountChecks } from '../../../src/payments/schemes/upto/accounts.ts'
import { authorizationChecks } from '../../../src/payments/schemes/upto/authorization.ts'
import { policyChecks } from '../../../src/payments/schemes/upto/policy.ts'
import { structureChecks } from '../../../src/payments/schemes/upto/structure.ts'
import { staticRefusals } from '../../support/refusals/static-refusals.ts'
import { uptoRefusals } from '../../support/refusals/upto.ts'
import { simulationRefusals } from '../../unit/payments/schemes/upto/simulation-refusals.ts'
import { doubledCases, feeCases, unansweredCodes } from './cases/configuration.ts'
import { expiryCases } from './cases/expiry.ts'
import { balanceCases, issuerCases, signatureCases } from './cases/ledger.ts'
import { settleOutcomes } from './cases/settle-outcomes.ts'
import { settleRefusals } from './cases/settle-refusals.ts'
import { tokenCases } from './cases/token.ts'

const unused = (): never => {
  throw new Error('no case is run here')
}

test('every reason of the table has a case that causes it', () => {
  const cases = [
    staticRefusals.flatMap(({ rows }) => rows),
    expiryCases,
    signatureCases,
    balanceCases,
    issuerCases,
    tokenCases(unused),
    feeCases,
    doubledCases(unused),
    settleRefusals,
    settleOutcomes,
    uptoRefusals,
    simulationRefusals,
  ].flat()
  const provoked = new Set<string>([...cases.map(({ code }) => code), ...unansweredCodes])
  expect(Object.keys(reasons).filter((code) => !provoked.has(code))).toEqual([])
})

/** Every check of the scheme `upto` that needs no ledger. */
const uptoChecks = [policyChecks, structureChecks, accountChecks, authorizationChecks].flat()

/** Which the scheme `upto` has of its own. */
const uptoCodes = [
  ...[
    'malformed',
    'wrong_contract',
    'wrong_max_amount',
    'settlement_exceeds_amount',
    'expired',
    'expiration_too_far',
    'authorization_used',
    'simulation_failed',
    'fee_exceeds_maximum',
  ].map((name) => `invalid_upto_stellar_payload_${name}`),
  'invalid_upto_stellar_ledger_entry_restore_required',
  'settle_upto_stellar_authorization_expired',
]

test('every code of the scheme upto, and of those of its checks, has a case of a metered payment', () => {
  const provoked = new Set<string>([...uptoRefusals, ...simulationRefusals].map(({ code }) => code))
  const expected = new Set([...uptoCodes, ...uptoChecks.flatMap(({ codes }) => codes)])
  expect([...expected].filter((code) => !provoked.has(code))).toEqual([])
  const known = Object.keys(reasons).filter((code) => code.includes('_upto_'))
  expect(new Set(known)).toEqual(new Set(uptoCodes))
})
