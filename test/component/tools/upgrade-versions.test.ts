/** Which versions `make e2e-upgrade` moves between, in a repository of a few files. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { contract, expand, laterVersions } from '../../../tools/e2e-upgrade/additions.ts'
import { laterTree, previousTree } from '../../../tools/e2e-upgrade/trees.ts'

const index = `export const migrations = {
  '0001-first': first,
}
`

let folder: string
let root: string
const into = (name: string) => join(folder, name)
const write = (path: string, text: string) => {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}
const git = (...args: readonly string[]) =>
  execFileSync('git', ['-C', root, '-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args])

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-upgrade-versions-'))
  root = into('root')
  write('package.json', '{ "version": "0.1.0" }')
  write('charts/stellar-x402/Chart.yaml', 'version: 0.1.0\nappVersion: "0.1.0"\n')
  write('src/platform/database/migrations/index.ts', index)
  git('init', '--quiet')
  git('add', '.')
  git('commit', '--quiet', '--message', 'first')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const indexOf = (tree: string) =>
  readFileSync(join(tree, 'src/platform/database/migrations/index.ts'), 'utf8')

test('before the first release the previous version is the checkout, and the next one has another number', async () => {
  write('src/changed.ts', '')
  const previous = await previousTree(root, into('previous'))
  expect(previous.version).toBe('0.1.0')
  expect(readdirSync(into('previous/src'))).toEqual(['changed.ts', 'platform'])
  const { candidate, successor } = laterVersions(previous.version, '0.1.0')
  expect([candidate.version, successor.version]).toEqual(['0.2.0', '0.3.0'])
})

test('after a release the previous version is that of the newest tag, and the next one is the checkout', async () => {
  git('tag', 'v0.1.0')
  expect((await previousTree(root, into('own'))).version).toBe('0.1.0')
  write('package.json', '{ "version": "0.2.0" }')
  write('src/changed.ts', '')
  git('add', '.')
  git('commit', '--quiet', '--message', 'second')
  const previous = await previousTree(root, into('previous'))
  expect(previous.version).toBe('0.1.0')
  expect(readdirSync(into('previous/src'))).toEqual(['platform'])
  const { candidate, successor } = laterVersions(previous.version, '0.2.0')
  expect([candidate.version, successor.version]).toEqual(['0.2.0', '0.3.0'])
})

test('a later version has a migration for each addition, after all others, and its number in the chart', async () => {
  const { field: _, ...withoutField } = expand
  const additions = [withoutField, contract]
  const { folder: tree } = await laterTree(root, into('later'), { version: '0.3.0', additions })
  expect(indexOf(tree)).toMatch(
    /'0001-first': first,\n {2}'0002-e2e-expand': migration0002,\n {2}'0003-contract-0002-e2e-contract': migration0003,\n}\n$/,
  )
  const file = 'src/platform/database/migrations/0003-contract-0002-e2e-contract.ts'
  expect(readFileSync(join(tree, file), 'utf8')).toContain(contract.statements[1])
  expect(readFileSync(join(tree, 'charts/stellar-x402/Chart.yaml'), 'utf8')).toBe(
    'version: 0.3.0\nappVersion: "0.3.0"\n',
  )
  expect(indexOf(root)).toBe(index)
})
