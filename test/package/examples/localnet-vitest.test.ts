import { expect, it } from 'vitest'
import { openExample } from '../support/example.ts'

it('the tests of a wallet pass', { timeout: 180_000 }, async () => {
  await using example = await openExample('localnet-vitest')
  const { code, output } = await example.run('test')
  expect(output).toMatch(/Tests +5 passed \(5\)/)
  expect(code, output).toBe(0)
})
