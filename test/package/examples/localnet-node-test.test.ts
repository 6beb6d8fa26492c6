import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { openExample } from '../support/example.ts'
import { runtimes } from '../support/runtimes.ts'

it.each(runtimes)(
  'the tests of a contract pass on $node',
  { timeout: 180_000 },
  async ({ program: node }) => {
    await using example = await openExample('localnet-node-test', { node })
    const { code, output } = await example.run('test')
    expect(output).toMatch(/pass 5\n.*fail 0\n/s)
    expect(code, output).toBe(0)
  },
)

it('uses the contract whose source its page names', () => {
  const source = readFileSync('test/fixtures/contracts/trick-token/trick-token.wasm')
  expect(source.equals(readFileSync('examples/localnet-node-test/token.wasm'))).toBe(true)
})
