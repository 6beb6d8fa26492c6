import { expect, test } from 'vitest'
import { reasons } from '../../../src/x402/reasons.ts'
import { staticRefusals } from '../../support/refusals/static-refusals.ts'
import { uptoRefusals } from '../../support/refusals/upto.ts'
import { simulationRefusals } from '../../unit/x402/upto/simulation-refusals.ts'
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
