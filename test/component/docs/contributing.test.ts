import { expect, test } from 'vitest'
import { commandsOf, inShell, readPage } from './typed-page.ts'

/*
 * Types the page's commands that run tests. It does not type those of make, which install, or run every test; a unit
 * test checks that their targets exist. Nor the one that waits for changes of files.
 */

const page = readPage('CONTRIBUTING.md')
const [, section = ''] = page.split('\n## Run tests\n')
const commands = [...commandsOf(section.split('\n## ')[0] ?? '')].filter((line) =>
  line.startsWith('npx vitest run'),
)

test('the line for the path finds svc, vitest, tsc and Node 24', async () => {
  const exported = [...commandsOf(page)].find((line) => line.startsWith('export PATH=')) ?? ''
  const { HOME, PATH } = process.env
  const typed = `${exported}\nsvc --version\nvitest --version\ntsc --version\nnode --version`
  const { code, out } = await inShell({ HOME, PATH }, typed)
  expect(out).toContain(`${process.version}\n`)
  expect(code).toBe(0)
})

test('the page has a command for each way to select tests', () => {
  expect(commands.length).toBe(4)
})

test.each(commands)('%s runs tests, and they pass', { timeout: 240_000 }, async (command) => {
  const { HOME, PATH } = process.env
  const { code, out } = await inShell({ HOME, PATH }, command)
  expect(out).toMatch(/^[1-9]\d* passed, 0 failed, 0 skipped$/m)
  expect(code).toBe(0)
})
