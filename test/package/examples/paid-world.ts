import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Asset, rpc } from '@stellar/stellar-sdk'
import { expect } from 'vitest'
import type { DemoState } from '../../../src/demo/state/demo-state.ts'
import { usdcIssuers } from '../../../src/platform/core/caip2.ts'
import { type Example, openExample } from '../support/example.ts'

const anyPorts = ['port', 'facilitator-port', 'explorer-port', 'network-port', 'network-tls-port']
const demoArgs = ['demo', ...anyPorts.flatMap((flag) => [`--${flag}`, '0'])]
const usdc = new Asset('USDC', usdcIssuers['stellar:testnet'])

/** A demo, the home of its user, and wallets on its network. */
export interface PaidWorld {
  readonly home: string
  readonly demo: DemoState
  newWallet(example: Example, name: string): Promise<Wallet>
}

/** The package runs a demo, as the pages of the examples say. */
export async function openPaidWorld(): Promise<PaidWorld & AsyncDisposable> {
  await using opened = new AsyncDisposableStack()
  const home = await mkdtemp(join(tmpdir(), 'svc-home-'))
  opened.defer(() => rm(home, { recursive: true, force: true }))
  const example = opened.use(await openExample('metered-api', { home }))
  await example.start('svc', /Ctrl-C stops everything/, { args: demoArgs })
  const states = join(home, '.local/state/svc')
  const [folder = ''] = await readdir(states)
  const demo: DemoState = JSON.parse(await readFile(join(states, folder, 'demo/demo.json'), 'utf8'))
  const resources = opened.move()
  return {
    home,
    demo,
    newWallet: (example, name) => newWallet(demo, example, name),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

interface Wallet {
  readonly address: string
  readonly secret: string
  /** In base units, as the ledger has it. */
  usdc(): Promise<bigint>
}

/** With 100 USDC; the seed is in a file of the example's folder. */
async function newWallet(demo: DemoState, example: Example, name: string): Promise<Wallet> {
  const args = ['wallet', 'new', '--fund', '--out', `${name}.seed`]
  const { output } = await example.run('svc', { args })
  const { address, file } = JSON.parse(/^\{.*\}$/m.exec(output)?.[0] ?? '{}')
  expect(address, output).toMatch(/^G[A-Z2-7]{55}$/)
  const server = new rpc.Server(demo.networkUrl, { allowHttp: true })
  const balance = async () => (await server.getTrustline(address, usdc)).balance
  return { address, secret: await readFile(file, 'utf8'), usdc: balance }
}
