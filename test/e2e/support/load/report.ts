/** The rows of a run, from which `tools/e2e/report.ts` makes the table of docs/reliability.md. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { LoadRow } from './count.ts'

const reportFile = fileURLToPath(new URL('../../../../dist/e2e-report.json', import.meta.url))

/** Empty before the first row. */
export function readReport(): readonly LoadRow[] {
  try {
    return JSON.parse(readFileSync(reportFile, 'utf8'))
  } catch (error) {
    if (Object(error).code === 'ENOENT') return []
    throw error
  }
}

/** Puts the row at the end, in place of an older one of the same fear. */
export function addToReport(row: LoadRow): void {
  const others = readReport().filter(({ fear }) => fear !== row.fear)
  mkdirSync(dirname(reportFile), { recursive: true })
  writeFileSync(reportFile, `${JSON.stringify([...others, row], null, 2)}\n`)
}
