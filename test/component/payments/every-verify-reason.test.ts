import { expect, test } from 'vitest'
import { reasons } from '../../../src/x402/reasons.ts'
import { accountCases } from './cases/accounts.ts'
import { authorizationCases, expiryCases } from './cases/authorization.ts'
import { balanceCases, issuerCases, signatureCases } from './cases/ledger.ts'
import { doubledCases, feeCases, unansweredCodes } from './cases/operator.ts'
import { operatorPolicyCases, protocolCases } from './cases/protocol.ts'
import { structureCases } from './cases/structure.ts'
import { tokenCases } from './cases/token.ts'

const unused = (): never => {
  throw new Error('no case is run here')
}

/** What only a settlement can end in. */
const isOfSettlement = (code: string): boolean => /^settle|_settle_/.test(code)

test('every reason that /verify can answer is provoked by a case', () => {
  const cases = [
    protocolCases,
    operatorPolicyCases,
    structureCases,
    accountCases,
    authorizationCases,
    expiryCases,
    signatureCases,
    balanceCases,
    issuerCases,
    tokenCases(unused),
    feeCases,
    doubledCases(unused),
  ].flat()
  const provoked = new Set<string>([...cases.map(({ code }) => code), ...unansweredCodes])
  const answerable = Object.keys(reasons).filter((code) => !isOfSettlement(code))
  expect(answerable.filter((code) => !provoked.has(code))).toEqual([])
})
