import { expect, test } from 'vitest'
import { Terminal } from '../../support/terminal.ts'
import { root } from './typed-page.ts'
import { readme } from './typed-readme.ts'

test('one test runs as the README says', { timeout: 240_000 }, async () => {
  const [, commands = ''] = /```sh\n(export PATH.*\nvitest run[\s\S]*?)```/.exec(readme) ?? []
  await using terminal = new Terminal(root, commands)
  const { code, output } = await terminal.ended
  expect(code, output).toBe(0)
  expect(output).toContain('1 passed, 0 failed')
})
