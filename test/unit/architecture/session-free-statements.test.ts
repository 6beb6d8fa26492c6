import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

const store = fileURLToPath(new URL('../../../src/platform/database/', import.meta.url))

/** Has a connection of its own, which is not a pooler's. */
const LISTENER = 'listen-for-freed-channels.ts'

/** What lasts longer than a transaction, and so would reach other clients of a pooler, or get lost. */
const sessionFeatures: Readonly<Record<string, RegExp>> = {
  'a lock of the session': /pg_(try_)?advisory_lock/i,
  'a setting of the session':
    /\bset session\b|set_config\([^()]*, *false\)|[`'"]\s*set (?!local)\w+ *(=|to)/i,
  'a temporary table': /\b(create|into) temp(orary)?\b/i,
  'a prepared statement': /[`'"]\s*(prepare|deallocate) /i,
  'a notification': /[`'"]\s*(un)?listen /i,
}

const files = globSync('**/*.ts', { cwd: store }).filter((file) => file !== LISTENER)

describe('a statement of the store', () => {
  test.each(Object.entries(sessionFeatures))('does not depend on %s', (_, pattern) => {
    const found = files.filter((file) => pattern.test(readFileSync(join(store, file), 'utf8')))
    expect(files.length).toBeGreaterThan(30)
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
