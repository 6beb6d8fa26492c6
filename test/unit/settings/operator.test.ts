import { describe, expect, test } from 'vitest'
import { loadOperatorConfig } from '../../../src/settings/operator.ts'
import { ConfigError } from '../../../src/settings/parser/config-error.ts'

function problemsOf(variables: Readonly<Record<string, string>>): string[] {
  try {
    loadOperatorConfig(variables)
  } catch (error) {
    if (error instanceof ConfigError) return error.problems.map(({ variable }) => variable)
    throw error
  }
  return []
}

describe('the configuration of svc operator', () => {
  test('needs nothing, and then has the timings of docs/kube-runtime.md', () => {
    expect(loadOperatorConfig({})).toMatchObject({
      election: { durationMs: 30_000, renewDeadlineMs: 20_000, renewMs: 4_000 },
      transactionValiditySeconds: 20,
      resyncMs: 300_000,
    })
  })

  test('lets transactions expire before a short lease does', () => {
    const timings = { LEASE_DURATION_SECONDS: '15', LEASE_RENEW_DEADLINE_SECONDS: '10' }
    const { transactionValiditySeconds } = loadOperatorConfig({
      ...timings,
      LEASE_RENEW_SECONDS: '2',
    })
    expect(transactionValiditySeconds).toBe(11)
  })

  const short = { LEASE_DURATION_SECONDS: '6', LEASE_RENEW_DEADLINE_SECONDS: '4' }
  test.each<{ when: string; given: Readonly<Record<string, string>>; wrong: string[] }>([
    {
      when: 'a lease outlives what is signed under it',
      given: { ...short, LEASE_RENEW_SECONDS: '1', TRANSACTION_VALIDITY_SECONDS: '3' },
      wrong: [],
    },
    {
      when: 'what is signed could outlive the lease',
      given: { ...short, LEASE_RENEW_SECONDS: '1', TRANSACTION_VALIDITY_SECONDS: '4' },
      wrong: ['TRANSACTION_VALIDITY_SECONDS'],
    },
    {
      when: 'a lease is shorter than the usual one, and nothing says how long transactions are valid',
      given: { ...short, LEASE_RENEW_SECONDS: '2' },
      wrong: [],
    },
    {
      when: 'a lease is too short for any transaction',
      given: { ...short, LEASE_RENEW_SECONDS: '3' },
      wrong: ['LEASE_DURATION_SECONDS'],
    },
    {
      when: 'renewing may fail for longer than the lease lasts',
      given: { LEASE_RENEW_DEADLINE_SECONDS: '30' },
      wrong: ['LEASE_RENEW_DEADLINE_SECONDS'],
    },
    {
      when: 'a leader would give up before it renews',
      given: { LEASE_RENEW_SECONDS: '20', TRANSACTION_VALIDITY_SECONDS: '5' },
      wrong: ['LEASE_RENEW_SECONDS'],
    },
    {
      when: 'a link to a runbook would lead nowhere from an alert',
      given: { RUNBOOK_BASE_URL: 'docs/runbooks' },
      wrong: ['RUNBOOK_BASE_URL'],
    },
    {
      when: 'runbooks have an address of their own',
      given: { RUNBOOK_BASE_URL: 'https://wiki.example/x402' },
      wrong: [],
    },
    {
      when: 'a namespace is none',
      given: { WATCH_NAMESPACES: 'a,B' },
      wrong: ['WATCH_NAMESPACES'],
    },
  ])('names what is wrong when $when', ({ given, wrong }) => {
    expect(problemsOf(given)).toEqual(wrong)
  })
})
