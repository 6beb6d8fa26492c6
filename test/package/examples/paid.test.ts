import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Asset, rpc } from '@stellar/stellar-sdk'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { usdcIssuers } from '../../../src/core/caip2.ts'
import type { DemoState } from '../../../src/demo/demo-state.ts'
import { type Example, openExample } from '../support/example.ts'
import { runtimes } from '../support/runtimes.ts'

/* The examples in which money moves, all beside one demo that the package itself runs, as their pages say. */

const anyPorts = ['port', 'facilitator-port', 'explorer-port', 'network-port', 'network-tls-port']
const demoArgs = ['demo', ...anyPorts.flatMap((flag) => [`--${flag}`, '0'])]
/** Much longer than it takes on a loaded machine. */
vi.setConfig({ testTimeout: 180_000 })
const usdc = new Asset('USDC', usdcIssuers['stellar:testnet'])

const opened = new AsyncDisposableStack()
let home: string
let demo: DemoState
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'svc-home-'))
  opened.defer(() => rm(home, { recursive: true, force: true }))
  const example = opened.use(await openExample('metered-api', { home }))
  await example.start('svc', /Ctrl-C stops everything/, { args: demoArgs })
  const states = join(home, '.local/state/svc')
  const [folder = ''] = await readdir(states)
  demo = JSON.parse(await readFile(join(states, folder, 'demo/demo.json'), 'utf8'))
}, 120_000)
afterAll(() => opened.disposeAsync())

interface Wallet {
  readonly address: string
  readonly secret: string
  /** In base units, as the ledger has it. */
  usdc(): Promise<bigint>
}

/** With 100 USDC; the seed is in a file of the example's folder. */
async function newWallet(example: Example, name: string): Promise<Wallet> {
  const args = ['wallet', 'new', '--fund', '--out', `${name}.seed`]
  const { output } = await example.run('svc', { args })
  const { address, file } = JSON.parse(/^\{.*\}$/m.exec(output)?.[0] ?? '{}')
  expect(address, output).toMatch(/^G[A-Z2-7]{55}$/)
  const server = new rpc.Server(demo.networkUrl, { allowHttp: true })
  const balance = async () => (await server.getTrustline(address, usdc)).balance
  return { address, secret: await readFile(file, 'utf8'), usdc: balance }
}

const parties = (example: Example) =>
  Promise.all([newWallet(example, 'seller'), newWallet(example, 'buyer')])

it('metered-api takes what was used, and nothing for an error', async () => {
  await using example = await openExample('metered-api', { home })
  const [seller, buyer] = await parties(example)
  const api = await example.start('start', /^http:.+$/m, {
    env: { FACILITATOR_URL: demo.facilitatorUrl, PAY_TO: seller.address, PORT: '0' },
  })
  const env = { BUYER_SECRET: buyer.secret, STELLAR_RPC_URL: demo.networkUrl }
  const buy = (days: number) => example.run('buy', { args: [`${api.match[0]}?days=${days}`], env })

  expect((await buy(365)).output).toMatch(
    /^200, 9137 bytes: day,usd,gbp\nauthorized {2}0\.05 USDC\npaid {8}0\.009 USDC\ntransaction [0-9a-f]{64}\n$/,
  )
  expect((await buy(1_501)).output).toContain('400, ')
  expect(await seller.usdc()).toBe(100_0090000n)
  expect(await buyer.usdc()).toBe(99_9910000n)
})

it('paid-mcp-tool sells a call, takes nothing for an error, and is listed', async () => {
  await using example = await openExample('paid-mcp-tool', { home })
  const [seller, buyer] = await parties(example)
  const server = await example.start('start', /^http:.+$/m, {
    env: { FACILITATOR_URL: demo.facilitatorUrl, PAY_TO: seller.address, PORT: '0' },
  })
  const env = {
    BUYER_SECRET: buyer.secret,
    STELLAR_RPC_URL: demo.rpcUrl,
    NODE_EXTRA_CA_CERTS: demo.caFile,
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
  const found = await (await fetch(`${demo.facilitatorUrl}${search}`)).json()
  const listing = { resource: url, svc: { toolName: 'tide_forecast' } }
  expect(found).toMatchObject({ resources: [listing] })
})

// Its wallet keeps the budget with the SQLite of Node.
it.each(runtimes)(
  'agent-with-budget finds, pays, says what is left, and is refused a higher price on $node',
  async ({ program: node }) => {
    await using example = await openExample('agent-with-budget', { node, home })
    const buyer = await newWallet(example, 'buyer')
    const { code, output } = await example.run('start')
    expect(output).toContain(`listed published ${demo.paidUrl} for 0.01 USDC\nbought 200 `)
    expect(output).toMatch(/^paid 0\.01 USDC in [0-9a-f]{64}$/m)
    expect(output).toContain('budget 0.01 USDC spent, 0.04 left\nrefused too_expensive: ')
    expect(code, output).toBe(0)
    expect(await buyer.usdc()).toBe(99_9900000n)
  },
)
