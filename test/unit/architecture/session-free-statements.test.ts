import { globSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'

/** The database, and the tables and statements of each service. */
const folders = ['platform/database', 'payments/store', 'catalog/store', 'explorer/store']

/** Has a connection of its own, which is not a pooler's. */
const LISTENER = 'src/payments/store/listen-for-freed-channels.ts'

/** What lasts longer than a transaction, and so would reach other clients of a pooler, or get lost. */
const sessionFeatures: Readonly<Record<string, RegExp>> = {
  'a lock of the session': /pg_(try_)?advisory_lock/i,
  'a setting of the session':
    /\bset session\b|set_config\([^()]*, *false\)|[`'"]\s*set (?!local)\w+ *(=|to)/i,
  'a temporary table': /\b(create|into) temp(orary)?\b/i,
  'a prepared statement': /[`'"]\s*(prepare|deallocate) /i,
  'a notification': /[`'"]\s*(un)?listen /i,
}

const files = folders
  .flatMap((folder) => globSync(`src/${folder}/**/*.ts`))
  .filter((file) => file !== LISTENER)

describe('a statement of the store', () => {
  test.each(Object.entries(sessionFeatures))('does not depend on %s', (_, pattern) => {
    const found = files.filter((file) => pattern.test(readFileSync(file, 'utf8')))
    for (const folder of folders) {
      expect(files.filter((file) => file.startsWith(`src/${folder}/`)).length).toBeGreaterThan(10)
    }
    expect(found).toEqual([])
  })

  test.each([
    ['a lock of the session', 'select pg_advisory_lock(1)'],
    ['a setting of the session', "'set statement_timeout = 5'"],
    ['a setting of the session', "select set_config('x', 'y', false)"],
    ['a temporary table', 'create temp table x'],
    ['a prepared statement', "'prepare x as select 1'"],
    ['a notification', '`listen x`'],
  ])('is found when it depends on %s: %s', (name, text) => {
    expect(text).toMatch(sessionFeatures[name]!)
  })
})
