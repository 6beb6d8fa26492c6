import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { shellWord } from '../../../../../src/platform/core/text/shell-word.ts'

it.each([
  '/srv/demo/ca.pem',
  '/home/a b/ca.pem',
  "it's",
  '$HOME `id` "x" \\ ~ *',
  '',
  "''",
  'line\nline',
])('is one word for a shell: %j', (text) => {
  const read = execFileSync('/bin/sh', ['-c', `printf %s ${shellWord(text)}`])
  expect(read.toString()).toBe(text)
})

it('leaves a plain path as it is', () => {
  expect(shellWord('/srv/demo/localnet-ca.pem')).toBe('/srv/demo/localnet-ca.pem')
})
