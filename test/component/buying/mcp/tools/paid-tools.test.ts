import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { sellers } from '../../../../../src/buying/mcp/seller/sellers.ts'
import { savedProofSchema } from '../../../../../src/buying/proof/saved-proof.ts'
import { verifyProof } from '../../../../../src/buying/proof/verify.ts'
import { RefusedUrl } from '../../../../../src/buying/seller/seller-http.ts'
import { textOf } from '../../../../support/mcp-clients.ts'
import {
  type Behave,
  priced,
  type Raw,
  servePaidTool,
} from '../../../../support/stock/paid-mcp-server.ts'
import { typedHere } from '../../../commands/run-here.ts'
import { unfenced } from '../cheating-sellers.ts'
import { hostileServers, ORDER } from './hostile-servers.ts'
import { type ToolWorld, toolWorld } from './tool-world.ts'

/* Tools of other MCP servers, paid over a real facilitator and a real network. */

const PRICE = 200_000n
const BUDGET = 1_000_000n
const city = { city: 'Hamburg' }
/** Characters that no one sees, but for the end of a line. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are looked for
const HIDDEN = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/

let world: ToolWorld
/** What the program `shop` wrote. */
let written: string
beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-shop-'))
  written = join(folder, 'written.jsonl')
  world = await toolWorld(({ stack, seller }) => {
    const env = { FACILITATOR_URL: stack.baseUrl, PAY_TO: seller.address }
    const args = [fileURLToPath(new URL('stdio-seller.ts', import.meta.url))]
    const shop = fileURLToPath(new URL('../../../selling/mcp/stdio-program.ts', import.meta.url))
    const show = `"${process.execPath}" "${shop}" 'sdk 2' | tee "${written}"`
    return new Map([
      ['forecasts', { command: process.execPath, args, env }],
      [
        'shop',
        { command: 'sh', args: ['-c', show], env: { ...env, PAY_TO_SECRET: seller.secret } },
      ],
    ])
  })
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
  await rm(dirname(written), { recursive: true, force: true })
})

/** Reads again when the network has closed the idle connection that the read took. */
const balance = () => vi.waitFor(() => world.buyer.balance(), 120_000)

describe.each(['result', 'extension'] as const)('a tool that asks by its %s', (binding) => {
  test('is paid once, with its answer in a fence and a receipt of the ledger', async () => {
    await using server = await servePaidTool(world.seller, { binding })
    const { client, budget } = await world.agent(BUDGET)
    const before = await balance()
    const asked = { url: server.url, max: '0.02', arguments: city }
    const answer = await client.call('call_paid_tool', asked)
    expect(answer.isError, textOf(answer)).toBeFalsy()
    expect(answer.structuredContent).toMatchObject({
      status: 200,
      receipt: { outcome: 'settled', amountDecimal: '0.02', payTo: world.buyer.seller.address },
      budget: { spent: '0.02', left: '0.08' },
    })
    expect(answer.structuredContent.sellerText).toContain('sunny')
    expect(server.payments).toHaveLength(1)
    expect(server.asksByExtension).toBe(binding === 'extension' ? 2 : 0)
    expect(before - (await balance())).toBe(PRICE)
    expect(world.buyer.stack.taken).toContain(answer.structuredContent.receipt.transaction)
    const [recorded] = budget.payments(5)
    expect(recorded?.url).toBe(server.url.replace('/mcp#forecast', ''))
  })

  test('is refused above max and above the budget, as a call over HTTP is', async () => {
    await using server = await servePaidTool(world.seller, { binding })
    const { client, budget } = await world.agent(PRICE - 1n)
    const asked = { url: server.url, arguments: city }
    const dear = await client.call('call_paid_tool', { ...asked, max: '0.0199999' })
    expect(textOf(dear)).toMatch(/^too_expensive: it costs more than max; nothing was paid/)
    const over = await client.call('call_paid_tool', { ...asked, max: '1' })
    expect(textOf(over)).toMatch(/^budget_exceeded: only 0\.0199999 USDC/)
    expect(server.payments).toEqual([])
    expect(budget.state().spent).toBe(0n)
  })
})

test('a tool of a server of an earlier protocol is paid too', async () => {
  const raw: Raw = (_, response, body) => {
    if (!body.includes('"server/discover"')) return false
    const error = { code: -32_601, message: 'Method not found' }
    const answer = { jsonrpc: '2.0', id: JSON.parse(body).id, error }
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
    return true
  }
  await using server = await servePaidTool(world.seller, { raw, binding: 'extension' })
  const { client } = await world.agent(BUDGET)
  const asked = { url: server.url, max: '0.02', arguments: city }
  const answer = await client.call('call_paid_tool', asked)
  expect(answer.isError, textOf(answer)).toBeFalsy()
  expect(answer.structuredContent.receipt).toMatchObject({ outcome: 'settled' })
  expect(server.payments).toHaveLength(1)
})

test('a server on this machine is not reached where only public ones may be', async () => {
  await using server = await servePaidTool(world.seller)
  await using http = sellers({ reach: 'public' })
  const limits = { timeLimitMs: 30_000, maxBytes: 65_536 }
  await expect(http.send({ url: server.url, body: '{}' }, limits)).rejects.toThrow(RefusedUrl)
  expect(server.calls).toBe(0)
})

describe('a tool of a program', () => {
  test('that the user named is paid', async () => {
    const { client } = await world.agent(BUDGET)
    const before = await balance()
    const asked = { url: 'mcp+stdio://forecasts#forecast', max: '0.02', arguments: city }
    const answer = await client.call('call_paid_tool', asked)
    expect(answer.isError, textOf(answer)).toBeFalsy()
    expect(answer.structuredContent.receipt).toMatchObject({ outcome: 'settled' })
    expect(before - (await balance())).toBe(PRICE)
  })

  test('that sells by the extension is asked by it, and paid, with a receipt', async () => {
    const { client } = await world.agent(BUDGET)
    const before = await balance()
    const asked = { url: 'mcp+stdio://shop#forecast', max: '0.01', arguments: { city: 'Oslo' } }
    const answer = await client.call('call_paid_tool', asked)
    expect(answer.isError, textOf(answer)).toBeFalsy()
    const [, json = ''] = String(answer.structuredContent.sellerText).split('\n')
    const { answer: said, proof } = JSON.parse(json)
    expect(JSON.stringify(said)).toContain('degrees')
    const verdicts = await verifyProof(savedProofSchema.parse(proof), {
      fetchDocument: async () => ({ failure: 'no document is needed' }),
    })
    expect(verdicts).toMatchObject({
      ...{ offerSignature: { state: 'valid' }, receiptSignature: { state: 'valid' } },
      ...{ authority: { state: 'valid', by: 'payTo' }, terms: { state: 'valid' } },
    })
    expect(before - (await balance())).toBe(PRICE / 2n)
    const results = (await readFile(written, 'utf8')).matchAll(/"resultType":"(\w+)"/g)
    const types = Array.from(results, ([, type]) => type)
    expect(types.filter((type) => type === 'payment_required')).toHaveLength(2)
    expect(types.at(-1)).toBe('complete')
  })

  test('that nobody named is not started', async () => {
    const { client } = await world.agent(BUDGET)
    const asked = { url: 'mcp+stdio://other#forecast', max: '0.02', arguments: city }
    expect(textOf(await client.call('call_paid_tool', asked))).toMatch(/^unsafe_address:/)
  })
})

test.each([
  ['is not there', 'nothing', city],
  ['refuses the arguments', 'forecast', {}],
])('a tool that %s is not paid, and its words are in a fence', async (_, tool, args) => {
  await using server = await servePaidTool(world.seller)
  const { client, budget } = await world.agent(BUDGET)
  const url = server.url.replace('forecast', tool)
  const text = textOf(await client.call('call_paid_tool', { url, max: '1', arguments: args }))
  expect(text).toMatch(/^no_price: the resource asks for no payment; nothing was paid/)
  expect(text).toContain('Check the name of the tool and its arguments')
  expect(budget.state().spent).toBe(0n)
})

test.each([
  ['https://api.example/mcp#forecast'],
  ['mcp+https://api.example/mcp'],
  ['mcp+http://api.example/mcp#forecast'],
  ['mcp+https://me:secret@api.example/mcp#forecast'],
  ['mcp+file:///etc/passwd#forecast'],
])('%s names no tool that is called', async (url) => {
  const { client } = await world.agent(BUDGET)
  const answer = await client.call('call_paid_tool', { url, max: '1', arguments: city })
  expect(answer.isError).toBe(true)
})

describe('a server that', () => {
  test.each(hostileServers)('$how gets at most one payment of its price', async (row) => {
    const { behave, raw, says, signed, took = false } = row
    await using server = await servePaidTool(world.seller, { behave, raw })
    const { client, budget } = await world.agent(BUDGET)
    const before = await balance()
    const asked = { url: server.url, max: '0.05', arguments: city }
    const answer = await client.call('call_paid_tool', asked)
    const text = textOf(answer)
    expect(text).toMatch(says)
    expect(unfenced(text)).not.toContain(ORDER)
    expect(text).not.toMatch(HIDDEN)
    expect(JSON.stringify(answer).length).toBeLessThan(100_000)
    expect(server.payments.length).toBeLessThanOrEqual(signed ? 1 : 0)
    expect(before - (await balance())).toBe(took ? PRICE : 0n)
    expect(budget.state().spent).toBe(signed ? PRICE : 0n)

    const listed = await client.call('list_payments', {})
    const states = listed.structuredContent.payments.map(({ state }: { state: string }) => state)
    expect(states).toEqual(took ? ['paid'] : signed ? ['signed'] : [])
    expect(budget.state().spent).toBe(signed ? PRICE : 0n)
  })
})

test.each([
  [['--max', '0.05'], 0],
  [['--max', '0.01'], 1],
  [['--quote'], 0],
] as const)('svc pay %j shows no escapes of a tool on a terminal', async (more, code) => {
  const escapes = 'sunny\u001b[2J\u009b31m\u202egnp\u0007\r'
  const words = { error: escapes, resource: { url: escapes, description: escapes } }
  const behave: Behave = async ({ seller, payment }) => {
    if (!payment) return priced({ ...(await seller.required(escapes)), ...words })
    return { ...(await seller.sell(payment)), content: [{ type: 'text', text: escapes }] }
  }
  await using server = await servePaidTool(world.seller, { behave })
  const { buyer, stack } = world.buyer
  const data = JSON.stringify(city)
  const ran = await typedHere({ BUYER_SECRET: buyer.secret }, [
    ...['pay', server.url, '--data', data, '--rpc', stack.localnet.rpcUrl, ...more],
  ])
  expect(ran.code, ran.shown).toBe(code)
  expect(ran.shown).not.toMatch(HIDDEN)
  expect(server.payments).toHaveLength(more[1] === '0.05' ? 1 : 0)
})
