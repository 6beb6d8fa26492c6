/** The rows of a run, from which `tools/e2e/report.ts` makes the table of docs/reliability.md. */
import { appendFileSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import type { LoadRow } from './count.ts'

const reportFile = fileURLToPath(new URL('../../../../dist/e2e-report.jsonl', import.meta.url))

interface Line {
  /** The test file. */
  readonly file: string
  readonly row: LoadRow
}

/** The newest row of each fear, in the order of the test files. Empty before the first row. */
export function readReport(): readonly LoadRow[] {
  const newest = new Map<string, Line>()
  for (const text of lines()) {
    const line: Line = JSON.parse(text)
    newest.delete(line.row.fear)
    newest.set(line.row.fear, line)
  }
  return [...newest.values()]
    .sort((one, other) => (one.file < other.file ? -1 : one.file > other.file ? 1 : 0))
    .map(({ row }) => row)
}

/** In place of an older row of the same fear. Test files that run at the same time add lines to one file. */
export function addToReport(row: LoadRow): void {
  const line: Line = { file: expect.getState().testPath ?? '', row }
  mkdirSync(dirname(reportFile), { recursive: true })
  appendFileSync(reportFile, `${JSON.stringify(line)}\n`)
}

function lines(): readonly string[] {
  try {
    return readFileSync(reportFile, 'utf8').trim().split('\n')
  } catch (error) {
    if (Object(error).code === 'ENOENT') return []
    throw error
  }
}
