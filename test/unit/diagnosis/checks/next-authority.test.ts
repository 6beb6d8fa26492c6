import { expect, test } from 'vitest'
import { uptoChecks } from '../../../../src/diagnosis/checks/upto.ts'
import { facts, upto } from '../doctor-facts.ts'

test('the authority of the next sponsor has to exist before replicas serve it', () => {
  const authority = uptoChecks.find(({ name }) => name === 'upto-authority')
  expect(authority?.run(facts({ upto: upto({ missingNext: 'GNEXT' }) }))).toMatchObject({
    status: 'warning',
    says: 'GNEXT, of the next sponsor, is not on the ledger',
    todo: expect.stringContaining('svc provision with that seed'),
  })
  expect(authority?.run(facts({ upto: upto() }))).toMatchObject({ status: 'ok' })
})
