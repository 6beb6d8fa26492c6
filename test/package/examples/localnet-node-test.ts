import { expect, it } from 'vitest'
import { openExample } from '../support/example.ts'
import type { Runtime } from '../support/runtimes.ts'

export function contractTests({ node, program }: Runtime): void {
  it(`the tests of a contract pass on ${node}`, { timeout: 180_000 }, async () => {
    await using example = await openExample('localnet-node-test', { node: program })
    const { code, output } = await example.run('test')
    expect(output).toMatch(/pass 5\n.*fail 0\n/s)
    expect(code, output).toBe(0)
  })
}
