/** `node tools/test-profile/run.ts FILE [DEPTH]`: what the tests cost by folder, from the lines of a run with PROFILE=FILE. Prints Markdown. */
import { readFileSync } from 'node:fs'
import type { FileCost } from '../../test/support/run/profile-setup.ts'

const [path = '', depth = '3'] = process.argv.slice(2)
const costs: FileCost[] = readFileSync(path, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line))

const folders = Map.groupBy(costs, ({ file }) => file.split('/').slice(0, Number(depth)).join('/'))
const processor = ({ user, system, childUser, childSystem }: FileCost) =>
  user + system + childUser + childSystem
const kernel = ({ system, childSystem }: FileCost) => system + childSystem

const sum = (rows: readonly FileCost[], of: (row: FileCost) => number): number =>
  rows.reduce((total, row) => total + of(row), 0)
const cells = (name: string, rows: readonly FileCost[]): string =>
  [
    name,
    rows.length,
    ...[
      sum(rows, ({ wallSeconds }) => wallSeconds),
      sum(rows, processor),
      sum(rows, ({ childUser, childSystem }) => childUser + childSystem),
      sum(rows, kernel),
      sum(rows, ({ programs }) => programs),
      sum(rows, ({ databases }) => databases),
      sum(rows, ({ connections }) => connections),
    ].map(Math.round),
  ].join(' | ')

const lines = [...folders]
  .toSorted(([, one], [, other]) => sum(other, processor) - sum(one, processor))
  .map(([folder, rows]) => `| ${cells(folder, rows)} |`)
process.stdout.write(
  [
    '| Folder | Files | Wall s | Processor s | of programs | of the kernel | Programs | Databases | Connections |',
    '| - | -: | -: | -: | -: | -: | -: | -: | -: |',
    ...lines,
    `| ${cells('all', costs)} |`,
    '',
  ].join('\n'),
)
