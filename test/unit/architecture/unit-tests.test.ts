import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

/** A program takes a quarter of a second of processor time to start, and only the global set-up of the other tests opens a Postgres. */
const elsewhere = /'node:child_process'|\/support\/(programs|postgres|stack\.ts)/

test('a unit test starts no program and opens no database', () => {
  const files = globSync('test/unit/**/*.ts').filter(
    (file) => !file.endsWith('/unit-tests.test.ts'),
  )
  expect(files.length).toBeGreaterThan(300)
  expect(files.filter((file) => elsewhere.test(readFileSync(file, 'utf8')))).toEqual([])
})
