import { expect, test } from 'vitest'
import { commandsOf, inShell, readPage } from './typed-page.ts'

/*
 * Types the page's commands that run tests. It does not type those of make, which install, or run every test; a unit
 * test checks that their targets exist. Nor the one that waits for changes of files.
 */

const [, section = ''] = readPage('CONTRIBUTING.md').split('\n## Run tests\n')
const commands = [...commandsOf(section.split('\n## ')[0] ?? '')].filter((line) =>
  line.startsWith('npx vitest run'),
)

test('the page has a command for each way to select tests', () => {
  expect(commands.length).toBe(4)
})

test.each(commands)('%s runs tests, and they pass', { timeout: 120_000 }, async (command) => {
  const { HOME, PATH } = process.env
  const { code, out } = await inShell({ HOME, PATH }, command)
  expect(out).toMatch(/^[1-9]\d* passed, 0 failed, 0 skipped$/m)
  expect(code).toBe(0)
})
