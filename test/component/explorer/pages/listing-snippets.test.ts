import { spawnSync } from 'node:child_process'
import { readFile, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { connect } from '../../../support/mcp-clients.ts'
import { commandsFolder } from '../../../support/programs/program-path.ts'
import { notInstalled, SellersFolder, sampledLines } from '../../../support/stock/sellers-folder.ts'
import { type DemoWorld, openDemo } from '../../buying/mcp/demo-world.ts'

/* The texts that the page of a listing shows for copying, run in a folder that is empty but for installed packages, beside a demo. */

const line = sampledLines()[0]!
const HASH = /[0-9a-f]{64}/
const noPython =
  spawnSync('python3', ['--version']).status === 0 ? undefined : 'there is no python3'

const opened = new AsyncDisposableStack()
let demo: DemoWorld
beforeAll(async () => {
  demo = opened.use(await openDemo())
})
afterAll(() => opened.disposeAsync())

const unescaped = (html: string): string =>
  html
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')

/** The texts of a listing's page by their ids, as a reader finds the page: from the catalog's. */
async function textsOf(resource: string): Promise<Readonly<Record<string, string>>> {
  const { explorerUrl } = demo.state
  const address = async () => {
    const listed = await (await fetch(`${explorerUrl}/ui/catalog`)).text()
    const row = listed.split('<tr').find((each) => each.includes(`<bdi>${resource}</bdi>`)) ?? ''
    const path = /href="(\/ui\/catalog\/[^"]+)"/.exec(row)?.[1]
    if (path === undefined) throw new Error(`the catalog does not list ${resource}`)
    return explorerUrl + path
  }
  const page = await (await fetch(await vi.waitFor(address, { timeout: 120_000 }))).text()
  const texts = [...page.matchAll(/<code id="(pay-[^"]+)">([^<]*)<\/code>/g)]
  expect(texts.length).toBeGreaterThan(0)
  return Object.fromEntries(texts.map(([, id = '', text = '']) => [id, unescaped(text)]))
}

const variables = () => ({
  BUYER_SECRET: demo.state.buyer.secret,
  STELLAR_RPC_URL: demo.state.rpcUrl,
  TESTNET_RPC_URL: demo.state.rpcUrl,
  NODE_EXTRA_CA_CERTS: demo.state.caFile,
  PATH: `${commandsFolder()}:${process.env['PATH']}`,
})

/** The host of an agent with the configuration of a page. */
function hostOf(configured: string, folder: SellersFolder) {
  const { x402 } = JSON.parse(configured).mcpServers
  const { facilitatorUrl } = demo.state
  expect(x402).toMatchObject({
    command: 'svc',
    args: ['mcp', '--facilitator', facilitatorUrl, '--network', 'stellar:testnet', '--budget', '1'],
  })
  const seed = x402.env.BUYER_SECRET_FILE.replace('/path/to', folder.path)
  // A wallet calls sellers on this machine for the demo alone, which --dir names in place of its facilitator.
  const own = ['--budget-file', join(folder.path, 'budget')]
  const args = ['--dir', demo.folder, ...x402.args.slice(3), ...own]
  return connect('sdk 2', { args, env: { BUYER_SECRET_FILE: seed } })
}

describe.each([
  ['a fixed price', 'paidUrl'],
  ['a metered price', 'meteredUrl'],
] as const)('the texts of a call with %s', (_name, member) => {
  const openFolder = async () => {
    const folder = await SellersFolder.withProject(line, variables())
    await folder.save('buyer.seed', demo.state.buyer.secret)
    return folder
  }
  const texts = () => textsOf(new URL(demo.state[member]).href.replace(/\?.*$/, ''))

  it('pay with svc pay', async () => {
    await using folder = await openFolder()
    const { code, output } = await folder.type((await texts())['pay-svc'] ?? 'false')
    expect(code, output).toBe(0)
    expect(output).toMatch(HASH)
  })

  it('pay with TypeScript', async ({ skip }) => {
    const missing = notInstalled(line)
    if (missing !== undefined) skip(missing)
    await using folder = await openFolder()
    await folder.save('buy.ts', (await texts())['pay-typescript'] ?? '')
    const { code, output } = await folder.run('buy.ts')
    expect(code, output).toBe(0)
    expect(output).toMatch(/^200 /m)
    expect(output).toMatch(HASH)
  })

  it('pay with Python', async ({ skip }) => {
    if (noPython !== undefined) skip(noPython)
    await using folder = await openFolder()
    await folder.save('buy.py', (await texts())['pay-python'] ?? '')
    const { code, output } = await folder.type('python3 buy.py')
    expect(code, output).toBe(0)
    expect(output).toMatch(HASH)
  })

  it('pay with the MCP configuration and its arguments', async () => {
    await using folder = await openFolder()
    const { 'pay-mcp': configured = '{}', 'pay-mcp-arguments': called = '{}' } = await texts()
    await using agent = await hostOf(configured, folder)
    const result = await agent.call('pay_and_call', JSON.parse(called))
    expect(result.isError, JSON.stringify(result.content)).toBeFalsy()
    expect(JSON.stringify(result.structuredContent)).toMatch(HASH)
  })
})

const missingPackages = notInstalled(line)
describe.skipIf(missingPackages !== undefined)('the texts of a tool', () => {
  const example = (file: string) =>
    readFile(new URL(`../../../../examples/paid-mcp-tool/${file}`, import.meta.url), 'utf8')
  const packages = ['@modelcontextprotocol', 'zod']
  const seller = new AsyncDisposableStack()
  let folder: SellersFolder
  let texts: Readonly<Record<string, string>>

  beforeAll(async () => {
    folder = seller.use(await SellersFolder.withProject(line, variables()))
    const modules = new URL('../../../../node_modules/', import.meta.url)
    for (const name of packages) {
      const at = join(folder.path, 'node_modules', name)
      await rm(at, { force: true })
      await symlink(fileURLToPath(new URL(name, modules)), at)
    }
    await folder.save('package.json', '{"type":"module"}')
    // What the newest line needs beside @x402/stellar 2.9.0, as docs/sellers.md has it; the example is of the other line.
    const served = (await example('server.js')).replace(
      'new ExactStellarScheme()',
      `Object.assign(new ExactStellarScheme(), { defaultAssetTransferMethod: 'default', paymentFlows: { default: { supported: ['authorization'], default: 'authorization' } } })`,
    )
    const scheme = 'new ExactStellarScheme(signer, { url: STELLAR_RPC_URL })'
    const withAsset = `Object.assign(${scheme}, { findDefaultAsset: () => ({ asset: USDC, symbol: 'USDC', decimals: 7 }) })`
    await folder.save('server.js', served)
    await folder.save('first.js', (await example('buyer.js')).replace(scheme, withAsset))
    const server = seller.use(
      await folder.serve('server.js', 0, {
        FACILITATOR_URL: demo.state.facilitatorUrl,
        PAY_TO: demo.state.parties.seller,
      }),
    )
    const first = await folder.run('first.js', [server.url])
    expect(first.output).toContain('paid answer')
    texts = await textsOf(server.url)
  })
  afterAll(() => seller.disposeAsync())

  it('pay with TypeScript', async () => {
    await folder.save('buy.ts', texts['pay-typescript'] ?? '')
    const { code, output } = await folder.run('buy.ts')
    expect(code, output).toBe(0)
    expect(output).toMatch(/^answer .*hamburg/m)
    expect(output).toMatch(HASH)
  })

  it('pay with the MCP configuration and its arguments', async () => {
    await folder.save('buyer.seed', demo.state.buyer.secret)
    await using agent = await hostOf(texts['pay-mcp'] ?? '{}', folder)
    const called = JSON.parse(texts['pay-mcp-arguments'] ?? '{}')
    const result = await agent.call('call_paid_tool', called)
    expect(result.isError, JSON.stringify(result.content)).toBeFalsy()
    expect(JSON.stringify(result.structuredContent)).toMatch(HASH)
  })
})
