import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

test.each(['bin/svc', 'src/commands/svc.ts'])('%s can be started', async (path) => {
  const program = fileURLToPath(new URL(`../../../${path}`, import.meta.url))
  const { stdout } = await promisify(execFile)(program, ['help'])
  expect(stdout).toMatch(/^svc <command> \[options\]\n/)
})
