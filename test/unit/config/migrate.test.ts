import { describe, expect, test } from 'vitest'
import { loadMigrateConfig } from '../../../src/config/migrate.ts'

describe('the configuration of migrate', () => {
  test('needs the database and nothing of a network', () => {
    const config = loadMigrateConfig({ DATABASE_URL: 'postgres://localhost/svc' })

    expect(config.store).toMatchObject({ kind: 'postgres', url: 'postgres://localhost/svc' })
  })

  test.each([
    { variables: {}, problem: 'DATABASE_URL is required with STORE=postgres' },
    { variables: { STORE: 'memory' }, problem: 'STORE must be postgres' },
  ])('refuses $variables', ({ variables, problem }) => {
    expect(() => loadMigrateConfig(variables)).toThrow(problem)
  })
})
