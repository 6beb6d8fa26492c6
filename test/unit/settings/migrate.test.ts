import { describe, expect, test } from 'vitest'
import { loadMigrateConfig } from '../../../src/settings/migrate.ts'

describe('the configuration of migrate', () => {
  test('needs the database and nothing of a network', () => {
    const config = loadMigrateConfig({ DATABASE_URL: 'postgres://localhost/svc' })

    expect(config.store).toMatchObject({ kind: 'postgres', url: 'postgres://localhost/svc' })
  })

  test('takes a second URL of the database, also from a file', () => {
    const database = { DATABASE_URL: 'postgres://pooler/svc' }
    const directUrl = 'postgres://primary/svc'
    const fromFile = { ...database, DATABASE_DIRECT_URL_FILE: '/run/direct' }
    expect(loadMigrateConfig(database).store).not.toHaveProperty('directUrl', expect.anything())
    for (const { store } of [
      loadMigrateConfig({ ...database, DATABASE_DIRECT_URL: directUrl }),
      loadMigrateConfig(fromFile, { readFile: () => `${directUrl}\n` }),
    ])
      expect(store).toMatchObject({ url: database.DATABASE_URL, directUrl })
  })

  test.each([
    { variables: {}, problem: 'DATABASE_URL is required with STORE=postgres' },
    { variables: { STORE: 'memory' }, problem: 'STORE must be postgres' },
    {
      variables: { DATABASE_URL: 'postgres://pooler/svc', DATABASE_DIRECT_URL: 'primary' },
      problem: 'DATABASE_DIRECT_URL must be a URL that starts with postgres://',
    },
  ])('refuses $variables', ({ variables, problem }) => {
    expect(() => loadMigrateConfig(variables)).toThrow(problem)
  })
})
