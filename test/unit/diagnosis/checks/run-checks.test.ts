import { describe, expect, test } from 'vitest'
import { ok, problem } from '../../../../src/diagnosis/checks/diagnosis.ts'
import { type DoctorCheck, runChecks } from '../../../../src/diagnosis/checks/run-checks.ts'

describe('runChecks', () => {
  type Name = 'a' | 'b' | 'c' | 'd'
  const checks: readonly DoctorCheck<Name, undefined>[] = [
    { name: 'a', run: () => problem('broken', 'fix it') },
    { name: 'b', needs: ['a'], run: () => ok('never run') },
    { name: 'c', needs: ['b'], run: () => ok('never run') },
    { name: 'd', run: () => ok('fine') },
  ]

  test('skips a check that needs one with a problem, and those that need that one', () => {
    expect(runChecks(checks, undefined).map(({ status, says }) => `${status}: ${says}`)).toEqual([
      'problem: broken',
      'skipped: after a',
      'skipped: after b',
      'ok: fine',
    ])
  })

  test('takes earlier results into account', () => {
    const before = [{ check: 'a' as const, ...problem('broken', 'fix it') }]
    expect(runChecks(checks.slice(1, 2), undefined, before)[0]?.status).toBe('skipped')
  })
})
