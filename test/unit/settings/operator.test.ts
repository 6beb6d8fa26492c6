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
  test('needs nothing', () => {
    expect(loadOperatorConfig({})).toMatchObject({
      transactionValiditySeconds: 20,
      resyncMs: 300_000,
    })
  })

  test.each<{ when: string; given: Readonly<Record<string, string>>; wrong: string[] }>([
    {
      when: 'a lease outlives what is signed under it',
      given: { TRANSACTION_VALIDITY_SECONDS: '24' },
      wrong: [],
    },
    {
      when: 'what is signed could outlive the lease',
      given: { TRANSACTION_VALIDITY_SECONDS: '25' },
      wrong: ['TRANSACTION_VALIDITY_SECONDS'],
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
