import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { testExample } from './linked-example.ts'

const read = (path: string) => readFile(new URL(`../../../${path}`, import.meta.url))

describe('the examples of the embedded network', () => {
  it.each([
    ['localnet-vitest', /Tests +5 passed \(5\)/],
    ['localnet-node-test', /pass 5\n.*fail 0\n/s],
  ])('%s passes its own tests', async (name, summary) => {
    const { code, output } = await testExample(name)
    expect(output).toMatch(summary)
    expect(code, output).toBe(0)
  })

  it('use the contract whose source their page names', async () => {
    const fixture = await read('test/fixtures/contracts/trick-token/trick-token.wasm')
    expect(fixture.equals(await read('examples/localnet-node-test/token.wasm'))).toBe(true)
  })
})
