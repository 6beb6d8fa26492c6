import { describe, expect, test } from 'vitest'
import { preflightProblems } from '../../../src/diagnosis/doctor/preflight.ts'
import { checkAll, runChecks } from '../../../src/diagnosis/doctor/run-checks.ts'
import type { Diagnosis } from '../../../src/diagnosis/problems/check.ts'
import { checkNames } from '../../../src/diagnosis/problems/names.ts'
import { type Changes, facts, ledger, stored } from './facts.ts'

const gathered = (changes: Changes = {}) => ({
  service: facts(changes),
  networks: [facts(changes)],
})
const namesOf = (given: ReturnType<typeof gathered>, command: 'doctor' | 'preflight') =>
  checkAll(given, command).flatMap(({ results }) => results.map(({ check }) => check))

describe('the checks', () => {
  const broken: Diagnosis = { status: 'problem', says: 'broken', todo: 'fix it' }
  const fine: Diagnosis = { status: 'ok', says: 'fine' }
  const checks = [
    { name: 'store', needs: [], run: () => broken },
    { name: 'schema', needs: ['store'], run: () => fine },
    { name: 'tables', needs: ['schema'], run: () => fine },
    { name: 'rpc', needs: [], run: () => fine },
  ] as const

  test('are skipped where they need one with a problem, and where they need a skipped one', () => {
    expect(runChecks(checks, undefined).map(({ status, says }) => `${status}: ${says}`)).toEqual([
      'problem: broken',
      'skipped: after store',
      'skipped: after schema',
      'ok: fine',
    ])
  })

  test('take earlier results into account', () => {
    const before = [{ check: 'store' as const, ...broken }]
    expect(runChecks(checks.slice(1, 2), undefined, before)[0]?.status).toBe('skipped')
  })

  test('of svc doctor are those of the table, in its order, and all are well in a healthy service', () => {
    expect(namesOf(gathered(), 'doctor')).toEqual(checkNames)
    const results = checkAll(gathered(), 'doctor').flatMap((section) => section.results)
    expect(results.filter(({ status }) => status !== 'ok')).toEqual([])
  })

  test('are without those of the scheme upto where it is not served', () => {
    const { upto: _upto, ...unserved } = facts()
    const made = namesOf({ service: unserved, networks: [unserved] }, 'doctor')
    expect(made).toEqual(checkNames.filter((name) => !name.startsWith('upto-')))
  })

  test('of svc preflight are those without which no payment can be settled', () => {
    expect(namesOf(gathered(), 'preflight')).toEqual([
      'store',
      'schema',
      'rpc',
      'rpc-network',
      'sponsor',
      'signer',
      'sponsor-signature',
      'leasable-channels',
      'terms',
      'trial-payments',
    ])
    expect(preflightProblems(gathered(), [])).toEqual([])
  })

  test('of svc preflight forgive a missing channel where a pool is empty, and nothing else', () => {
    const empty = gathered({ stored: stored({ channels: [] }) })
    expect(preflightProblems(empty, [])).toEqual([
      expect.stringMatching(/^stellar:testnet: leasable-channels: .*: wait until the ChannelPool/),
    ])
    expect(preflightProblems(empty, ['stellar:testnet'])).toEqual([])
    const absent = gathered({ ledger: ledger({ sponsor: undefined }) })
    expect(preflightProblems(absent, ['stellar:testnet'])).toEqual([
      'stellar:testnet: sponsor: sponsor GSPONSOR does not exist on the ledger: send XLM to GSPONSOR',
    ])
  })
})
