import { expect, it } from 'vitest'
import { openExample } from '../support/example.ts'
import type { Runtime } from '../support/runtimes.ts'
import type { PaidWorld } from './paid-world.ts'

/** Its wallet keeps the budget with the SQLite of Node. */
export function agentWithBudget(world: () => PaidWorld, { node, program }: Runtime): void {
  it(`agent-with-budget finds, pays, says what is left, and is refused a higher price on ${node}`, async () => {
    const { demo, home, newWallet } = world()
    await using example = await openExample('agent-with-budget', { node: program, home })
    const buyer = await newWallet(example, 'buyer')
    const { code, output } = await example.run('start')
    expect(output).toContain(`listed published ${demo.paidUrl} for 0.01 USDC\nbought 200 `)
    expect(output).toMatch(/^paid 0\.01 USDC in [0-9a-f]{64}$/m)
    expect(output).toContain('budget 0.01 USDC spent, 0.04 left\nrefused too_expensive: ')
    expect(code, output).toBe(0)
    expect(await buyer.usdc()).toBe(99_9900000n)
  })
}
