import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { type Example, openExample } from '../support/example.ts'
import { oldestNode } from '../support/runtimes.ts'
import { agentWithBudget } from './agent-with-budget.ts'
import { agentWithOnchainLimit } from './agent-with-onchain-limit.ts'
import { openPaidWorld } from './paid-world.ts'

/* The examples in which money moves, all beside one demo that the package itself runs, as their pages say. */

/** Much longer than it takes on a loaded machine. */
vi.setConfig({ testTimeout: 180_000 })

const opened = new AsyncDisposableStack()
let world: Awaited<ReturnType<typeof openPaidWorld>>
beforeAll(async () => {
  world = opened.use(await openPaidWorld())
})
afterAll(() => opened.disposeAsync())

const parties = (example: Example) =>
  Promise.all([world.newWallet(example, 'seller'), world.newWallet(example, 'buyer')])

it('metered-api takes what was used, and nothing for an error', async () => {
  await using example = await openExample('metered-api', { home: world.home })
  const [seller, buyer] = await parties(example)
  const api = await example.start('start', /^http:.+$/m, {
    env: { FACILITATOR_URL: world.demo.facilitatorUrl, PAY_TO: seller.address, PORT: '0' },
  })
  const env = { BUYER_SECRET: buyer.secret, STELLAR_RPC_URL: world.demo.networkUrl }
  const buy = (days: number) => example.run('buy', { args: [`${api.match[0]}?days=${days}`], env })

  expect((await buy(365)).output).toMatch(
    /^200, 9137 bytes: day,usd,gbp\nauthorized {2}0\.05 USDC\npaid {8}0\.009 USDC\ntransaction [0-9a-f]{64}\n$/,
  )
  expect((await buy(1_501)).output).toContain('400, ')
  expect(await seller.usdc()).toBe(100_0090000n)
  expect(await buyer.usdc()).toBe(99_9910000n)
})

it('paid-mcp-tool sells a call, takes nothing for an error, and is listed', async () => {
  await using example = await openExample('paid-mcp-tool', { home: world.home })
  const [seller, buyer] = await parties(example)
  const server = await example.start('start', /^http:.+$/m, {
    env: { FACILITATOR_URL: world.demo.facilitatorUrl, PAY_TO: seller.address, PORT: '0' },
  })
  const env = {
    BUYER_SECRET: buyer.secret,
    STELLAR_RPC_URL: world.demo.rpcUrl,
    NODE_EXTRA_CA_CERTS: world.demo.caFile,
  }
  const [url] = server.match
  const call = (harbour: string) => example.run('call', { args: [url, harbour], env })

  const { output } = await call('hamburg')
  expect(output).toMatch(/^free answer \["hamburg",.*\nprice 200000 .*\npaid answer \{.*3\.6\}\n/)
  expect(output).toMatch(/^transaction [0-9a-f]{64}$/m)
  expect((await call('kiel')).output).toContain('paid failed "There is no harbour kiel"')
  expect(await seller.usdc()).toBe(100_0200000n)
  expect(await buyer.usdc()).toBe(99_9800000n)

  const search = `/discovery/search?query=high%20tide&type=mcp&payTo=${seller.address}`
  const found = await (await fetch(`${world.demo.facilitatorUrl}${search}`)).json()
  const listing = { resource: url, svc: { toolName: 'tide_forecast' } }
  expect(found).toMatchObject({ resources: [listing] })
})

agentWithBudget(() => world, oldestNode)
agentWithOnchainLimit(() => world, oldestNode)
