import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { openExample } from '../support/example.ts'
import type { Runtime } from '../support/runtimes.ts'
import type { PaidWorld } from './paid-world.ts'

/** The contracts of the example, and the fixtures that they are copies of. */
const copies = { account: 'rule-account', limit: 'spending-limit' }

export function agentWithOnchainLimit(world: () => PaidWorld, { node, program }: Runtime): void {
  it(`agent-with-onchain-limit pays until the policy of its account refuses, within its budget, on ${node}`, async () => {
    for (const [copy, name] of Object.entries(copies)) {
      const fixture = readFileSync(`test/fixtures/contracts/${name}/${name}.wasm`)
      const file = `examples/agent-with-onchain-limit/${copy}.wasm`
      expect(fixture.equals(readFileSync(file)), file).toBe(true)
    }
    const { demo, home, newWallet } = world()
    await using example = await openExample('agent-with-onchain-limit', { node: program, home })
    const owner = await newWallet(example, 'owner')
    const agent = await newWallet(example, 'agent')
    const deployed = await example.run('deploy', { env: { STELLAR_RPC_URL: demo.networkUrl } })
    expect(deployed.code, deployed.output).toBe(0)
    const [account = ''] = /^C[A-Z2-7]{55}$/m.exec(deployed.output) ?? []
    const { code, output } = await example.run('start', { env: { BUYER_ACCOUNT: account } })
    expect(output).toMatch(
      new RegExp(
        `^(paid 0\\.01 USDC from ${account} in [0-9a-f]{64}\\nbudget 0\\.9[98] USDC left\\n){2}refused policy_refused: `,
        'm',
      ),
    )
    expect(code, output).toBe(0)
    expect([await owner.usdc(), await agent.usdc()]).toEqual([99_0000000n, 100_0000000n])
  })
}
