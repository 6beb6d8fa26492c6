import { describe, expect, test } from 'vitest'
import type { DoctorFacts } from '../../../../src/diagnosis/facts/doctor-facts.ts'
import type { Check } from '../../../../src/diagnosis/problems/check.ts'
import { checkNames, warningCodes, warnings } from '../../../../src/diagnosis/problems/names.ts'
import { noPatience, type Problem } from '../../../../src/diagnosis/problems/problem.ts'
import {
  checksOfNetwork,
  checksOfService,
  problems,
} from '../../../../src/diagnosis/problems/table.ts'
import { warningSchema } from '../../../../src/payments/health/schema.ts'
import { catalogWarningsOf, warningsOf } from '../../../../src/payments/health/warnings.ts'
import { facts } from '../facts.ts'
import { catalogCases } from './cases/catalog.ts'
import { channelCases } from './cases/channels.ts'
import { paymentCases } from './cases/payments.ts'
import { rpcCases } from './cases/rpc.ts'
import { serviceCases } from './cases/service.ts'
import { sponsorCases } from './cases/sponsor.ts'
import { termsCases } from './cases/terms.ts'
import { uptoCases } from './cases/upto.ts'

const cases = [
  ...serviceCases,
  ...rpcCases,
  ...sponsorCases,
  ...channelCases,
  ...paymentCases,
  ...termsCases,
  ...uptoCases,
]
const checks: readonly Check<DoctorFacts>[] = [...checksOfService, ...checksOfNetwork]

const rowOf = (name: string) => {
  const check = checks.find((each) => each.problems.some((problem) => problem.name === name))
  const problem = check?.problems.find((each) => each.name === name)
  if (!check || !problem) throw new Error(`there is no problem ${name}`)
  return { check, problem }
}

const printed = ({ run }: Check<DoctorFacts>, given: DoctorFacts): string => {
  const { status, says, todo } = run(given)
  return `${status}: ${says}${todo ? ` -> ${todo}` : ''}`
}

describe('the table of problems', () => {
  test('has every check of svc doctor, in the order of its output, each after those that it needs', () => {
    const names = checks.map(({ name }) => name)
    expect(names.filter((name) => name !== 'leasable-channels')).toEqual(checkNames)
    for (const { name, needs } of checks) {
      for (const needed of needs) {
        expect(names.indexOf(needed), `${name} needs ${needed}`).toBeLessThan(names.indexOf(name))
      }
    }
  })

  test('has every warning of /health', () => {
    const raised = problems.flatMap((problem) => ('health' in problem ? problem.health : []))
    expect([...new Set(raised)].toSorted()).toEqual([...warningCodes].toSorted())
  })

  test('has each problem once, and each has a case', () => {
    const names = problems.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
    const found = new Set(cases.flatMap(({ finds }) => (typeof finds === 'string' ? finds : [])))
    const ofCatalog = ['catalog-unreadable', 'search-index-failed', 'search-index-degraded']
    expect(names.filter((name) => !found.has(name))).toEqual(ofCatalog)
  })

  test('finds nothing in a healthy service', () => {
    for (const check of checks) expect(check.run(facts()).status, check.name).toBe('ok')
    expect(warningsOf([facts()])).toEqual([])
  })
})

describe('the severities of /health', () => {
  test('are those of the interface', () => {
    const critical = warningCodes.filter((code) => warnings[code].severity === 'critical')
    expect(critical).toEqual([
      'rpc_unhealthy',
      'ledger_stale',
      'rpc_disputed',
      'sponsor_below_floor',
      'signer_unreachable',
      'signer_key_differs',
      'settlement_ledger_unreadable',
      'settlements_unresolvable',
      'contract_missing',
      'contract_archived',
      'contract_ttl_critical',
      'terms_unpayable',
      'catalog_unreadable',
      'search_index_failed',
      'upto_authority_missing',
      'upto_contract_restore_required',
    ])
  })
})

describe('a problem', () => {
  test.each(cases)('$finds when $when', ({ finds, given, says = /./, health }) => {
    const all = facts(given)
    const raised = warningsOf([all])
    for (const warning of raised) expect(warningSchema.parse(warning)).toEqual(warning)
    if (typeof finds !== 'string') {
      const check = checks.find(({ name }) => name === finds.nothingIn)
      expect(check && printed(check, all)).toMatch(/^ok: /)
      expect(check && printed(check, all)).toMatch(says)
      if (health) expect(raised.map(({ code }) => code)).toEqual(health)
      return
    }
    const { check, problem } = rowOf(finds)
    if (problem.doctor) {
      expect(printed(check, all)).toMatch(says)
      expect(check.run(all).status).toBe(problem.doctor)
    } else expect(raised[0]?.message ?? printedBy(problem as Problem, all)).toMatch(says)
    const code = 'find' in problem ? problem.health : undefined
    expect(raised.map((warning) => warning.code)).toEqual(health ?? (code ? [code] : []))
  })

  /** Of a problem that neither command shows, and `/health` not yet. */
  const printedBy = ({ find }: Problem, all: DoctorFacts): string =>
    JSON.stringify(find(all, noPatience))
})

describe('a warning of the catalog', () => {
  test.each(catalogCases)('is $health when $when', ({ given, health, says = /./ }) => {
    const all = { misses: 0, stats: { builds: [], behindSeconds: 0 }, unsearchedMs: 0, ...given }
    const raised = catalogWarningsOf(all)
    expect(raised.map(({ code }) => code)).toEqual(health)
    for (const { message } of raised) expect(message).toMatch(says)
  })
})

test('warnings name each network and each contract that they are about', () => {
  const gone = { id: 'C', misses: 0, ttl: { instanceTtl: null } }
  const contracts = [
    { ...gone, alias: 'a' },
    { ...gone, alias: 'b' },
  ]
  const one = facts({ derived: { contracts } })
  const named = warningsOf([one, { ...one, id: 'stellar:pubnet' }])
  expect(named.map(({ network, contract }) => `${network} ${contract}`)).toEqual([
    'stellar:testnet a',
    'stellar:testnet b',
    'stellar:pubnet a',
    'stellar:pubnet b',
  ])
})
