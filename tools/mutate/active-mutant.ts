import { appendFileSync, readFileSync } from 'node:fs'
import { afterAll, expect } from 'vitest'

/*
 * Runs in the process of each test file, before it: switches the mutant on that the file named by
 * SVC_MUTANT holds. With 0 none is active; then the mutants that the tests reach are written to
 * SVC_MUTANT_REACHED, a line of JSON for each test file.
 */
const active = Number(readFileSync(process.env['SVC_MUTANT'] ?? '', 'utf8'))
const reached = new Set<number>()

globalThis.__isActive = (id) => {
  if (active === 0) reached.add(id)
  return id === active
}

if (active === 0) {
  afterAll(() => {
    const line = JSON.stringify({ file: expect.getState().testPath, mutants: [...reached] })
    appendFileSync(process.env['SVC_MUTANT_REACHED'] ?? '', `${line}\n`)
  })
}
