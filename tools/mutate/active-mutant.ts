import { appendFileSync, readFileSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import { afterAll, expect } from 'vitest'

/*
 * Runs in the process of each test file, before it: switches the mutant on that the file named by
 * SVC_MUTANT holds. With 0 none is active; then the mutants that the tests reach are written to
 * SVC_MUTANT_REACHED, a line of JSON for each test file.
 */
/** Far more than any file of these tests takes alone. */
const LONGEST_FILE_MS = 180_000

const active = Number(readFileSync(process.env['SVC_MUTANT'] ?? '', 'utf8'))
const reached = new Set<number>()

globalThis.__isActive = (id) => {
  if (active === 0) reached.add(id)
  return id === active
}

if (active !== 0) {
  // A condition that is turned around can make an endless loop, which no time limit of a test can end.
  const kill = `setTimeout(() => process.kill(process.pid, 'SIGKILL'), ${LONGEST_FILE_MS})`
  new Worker(kill, { eval: true }).unref()
} else {
  afterAll(() => {
    const line = JSON.stringify({ file: expect.getState().testPath, mutants: [...reached] })
    appendFileSync(process.env['SVC_MUTANT_REACHED'] ?? '', `${line}\n`)
  })
}
