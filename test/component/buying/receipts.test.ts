import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createMcpHandler, type McpHttpHandler, McpServer } from '@modelcontextprotocol/server'
import { HTTPFacilitatorClient } from '@x402/core/server'
import { paymentMiddleware, x402ResourceServer } from '@x402/express'
import { ExactStellarScheme } from '@x402/stellar/exact/server'
import express from 'express'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Budget } from '../../../src/buying/budget/budget.ts'
import { OpenPayments } from '../../../src/buying/budget/open-payments.ts'
import { payAndCall } from '../../../src/buying/mcp/payment/pay-and-call.ts'
import { readReceipt } from '../../../src/buying/proof/artifacts.ts'
import { walletOf } from '../../../src/buying/sign/sign-payment.ts'
import { toolSeller } from '../../../src/package/mcp-server.ts'
import { systemClock } from '../../../src/platform/core/time/clock.ts'
import { declareReceipts, receipts } from '../../../src/selling/receipts/extension.ts'
import { payToSigner } from '../../../src/selling/receipts/signer.ts'
import { serveFetch } from '../../support/serve-fetch.ts'
import { runHere } from '../commands/run-here.ts'
import { type BuyerWorld, buyerWorld } from './buyer-world.ts'

/* A stock seller that signs with the key of its account, `svc pay` that keeps it, and `svc receipt verify` against the ledger. */

const sale = {
  scheme: 'exact',
  price: '$0.01',
  network: 'stellar:testnet',
  maxTimeoutSeconds: 120,
} as const

let world: BuyerWorld
let server: Server
let origin: string
let tools: Awaited<ReturnType<typeof serveTools>>
let folder: string
let saved: string
let proof: Record<string, unknown>

beforeAll(async () => {
  world = await buyerWorld()
  folder = await mkdtemp(join(tmpdir(), 'svc-receipts-'))
  const { stack, seller } = world
  const app = express()
  server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const resources = new x402ResourceServer(new HTTPFacilitatorClient({ url: stack.baseUrl }))
    .register('stellar:testnet', new ExactStellarScheme())
    .registerExtension(receipts({ signer: payToSigner(seller.secret), origin }))
  const accepts = { ...sale, payTo: seller.address }
  const routes = {
    '/signed': { accepts, extensions: declareReceipts() },
    '/unsigned': { accepts },
  }
  tools = await serveTools(resources, seller.address)
  app.use(paymentMiddleware(routes, resources))
  app.get(['/signed', '/unsigned'], (_request, response) => {
    response.json({ weather: 'sunny' })
  })
  saved = join(folder, 'receipt.json')
})

afterAll(async () => {
  server?.closeAllConnections()
  server?.close()
  await tools?.[Symbol.asyncDispose]()
  await world?.[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

/** The tool `weather` at `/named` and at `/unnamed`, where its price does not say of which server it is. */
async function serveTools(resources: x402ResourceServer, payTo: string) {
  const handlers = new Map<string, McpHttpHandler>()
  const served = await serveFetch(async (request) => {
    const handler = handlers.get(new URL(request.url).pathname)
    return handler ? handler.fetch(request) : new Response(null, { status: 404 })
  })
  for (const path of ['/named', '/unnamed']) {
    const url = path === '/named' ? served.url + path : undefined
    const seller = toolSeller({ resources, url })
    const sell = () => {
      const mcp = new McpServer({ name: 'weather', version: '1.0.0' })
      seller.sell(mcp, {
        name: 'weather',
        description: 'The weather',
        accepts: { ...sale, payTo },
        extensions: declareReceipts(),
        run: () => ({ content: [{ type: 'text', text: 'sunny' }] }),
      })
      return mcp
    }
    handlers.set(path, createMcpHandler(sell))
  }
  return served
}

const svc = (...args: readonly string[]) =>
  runHere(
    { BUYER_SECRET: world.buyer.secret },
    ...args,
    '--rpc',
    world.stack.localnet.rpcUrl,
    '--json',
  )

const pay = (path: string, file: string) =>
  svc('pay', origin + path, '--max', '0.05', '--save-receipt', file)

async function verify(changes: object) {
  const path = join(folder, 'changed.json')
  await writeFile(path, JSON.stringify({ ...proof, ...changes }))
  const ran = await svc('receipt', 'verify', path)
  const { file: _, ...verdicts } = ran.lines[0] ?? {}
  const states = Object.entries(verdicts).map(([name, value]) => [name, Object(value).state])
  return { code: ran.code, ...Object.fromEntries(states) }
}

const valid = {
  offerSignature: 'valid',
  receiptSignature: 'valid',
  authority: 'valid',
  terms: 'valid',
  ledger: 'valid',
}

it('svc pay keeps what the seller has signed, with the transaction on the ledger', async () => {
  await rm(saved, { force: true })
  const ran = await pay('/signed?city=Bremen', saved)
  expect(ran).toMatchObject({ code: 0, err: '' })
  proof = JSON.parse(await readFile(saved, 'utf8'))
  const [{ receipt, proof: printed }] = ran.lines as [Record<string, Record<string, unknown>>]
  expect(world.stack.taken).toContain(receipt?.['transaction'])
  expect(proof).toMatchObject({
    url: `${origin}/signed?city=Bremen`,
    payTo: world.seller.address,
    payer: world.buyer.address,
    amount: '100000',
    transaction: receipt?.['transaction'],
    offer: printed?.['offer'],
    receipt: printed?.['receipt'],
  })
  expect(proof['receipt']).toMatchObject({ format: 'jws' })
})

describe('svc receipt verify', () => {
  it('finds all of it valid', async () => {
    expect(await verify({})).toEqual({ code: 0, ...valid })
  })

  it('asks nobody with --offline', async () => {
    const ran = await runHere({}, 'receipt', 'verify', saved, '--offline', '--human')
    expect(ran.code).toBe(64)
    const offline = await runHere({}, 'receipt', 'verify', saved, '--offline', '--json')
    expect(offline.code).toBe(0)
    expect(offline.lines).toMatchObject([
      { ledger: { state: 'absent' }, authority: { state: 'valid', by: 'payTo' } },
    ])
    const shown = await runHere({}, 'receipt', 'verify', saved, '--offline')
    expect(shown.out).toContain('the key is that of the account that was paid')
  })

  it.each([
    { member: 'amount', value: '99999', fails: { ledger: 'invalid' } },
    { member: 'network', value: 'eip155:1', fails: { terms: 'invalid', ledger: 'unknown' } },
    { member: 'signed', value: '99999', fails: { terms: 'invalid' } },
    {
      member: 'payTo',
      value: () => world.buyer.address,
      fails: { terms: 'invalid', authority: 'invalid', ledger: 'invalid' },
    },
    {
      member: 'payer',
      value: () => world.seller.address,
      fails: { terms: 'invalid', ledger: 'invalid' },
    },
    {
      member: 'asset',
      value: 'CDLZFC3SYJYDZT7K67VZ75HPJVIEUVNIXF47ZG2FB2RMQQVU2HHGCYSC',
      fails: { terms: 'invalid', ledger: 'invalid' },
    },
    {
      member: 'transaction',
      value: 'ab'.repeat(32),
      fails: { terms: 'invalid', ledger: 'unknown' },
    },
  ])('notices another $member', async ({ member, value, fails }) => {
    const changed = typeof value === 'function' ? value() : value
    expect(await verify({ [member]: changed })).toEqual({ code: 1, ...valid, ...fails })
  })

  it('does not know without a transaction, and without an RPC of the network', async () => {
    expect(await verify({ offer: null, receipt: null, transaction: null })).toEqual({
      code: 2,
      ...valid,
      ...{ offerSignature: 'absent', receiptSignature: 'absent', authority: 'absent' },
      ledger: 'unknown',
    })
  })

  it.each(['missing.json', 'text.json'])('says that %s cannot be read', async (name) => {
    await writeFile(join(folder, 'text.json'), '{"url":1}')
    const ran = await runHere({}, 'receipt', 'verify', join(folder, name), '--offline')
    expect(ran).toMatchObject({ code: 64, out: '' })
    expect(ran.err).toContain(name)
  })
})

it('pay_and_call gives an agent the same file, in the fence around the text of the seller', async () => {
  const { http, stack, buyer } = world
  const wallet = walletOf(buyer.secret, 'stellar:testnet', stack.localnet.rpcUrl)
  using budget = new Budget({ file: join(folder, 'b.sqlite'), limit: 500_000n, clock: systemClock })
  await using open = new OpenPayments({ budget, rpcUrl: wallet.rpcUrl })
  const tool = payAndCall({
    http,
    wallet,
    network: 'stellar:testnet',
    budget,
    open,
    clock: systemClock,
  })
  const { result } = await tool.call(
    { url: `${origin}/signed`, max: '0.05', method: 'GET' },
    { signal: new AbortController().signal, fenceId: 'f', report: () => undefined },
  )
  const [, json = ''] = String(result['sellerText']).split('\n')
  const given = JSON.parse(json)
  expect(given.proof).toMatchObject({ payer: buyer.address, receipt: { format: 'jws' } })
  expect(await verify(given.proof)).toEqual({ code: 0, ...valid })
})

describe('a tool of an MCP server', () => {
  const pay = async (path: string) => {
    const file = join(folder, `tool${path.replace('/', '-')}.json`)
    const url = `mcp+${tools.url}${path}#weather`
    const ran = await svc('pay', url, '--data', '{}', '--max', '0.05', '--save-receipt', file)
    expect(ran).toMatchObject({ code: 0, err: '' })
    const kept = JSON.parse(await readFile(file, 'utf8'))
    expect(kept).toMatchObject({ url, offer: { format: 'jws' }, receipt: { format: 'jws' } })
    return kept
  }

  it('is paid with a receipt that svc pay keeps, and that names its server', async () => {
    const kept = await pay('/named')
    expect(readReceipt(kept.receipt)?.payload.resourceUrl).toBe(`${tools.url}/named`)
    expect(await verify(kept)).toEqual({ code: 0, ...valid })
    const other = { ...kept, url: kept.url.replace('/named', '/unnamed') }
    expect(await verify(other)).toEqual({ code: 1, ...valid, terms: 'invalid' })
  })

  it('whose server says no URL of its own has a receipt that could be of another server', async () => {
    const kept = await pay('/unnamed')
    expect(readReceipt(kept.receipt)?.payload.resourceUrl).toBe('mcp://tool/weather')
    expect(await verify(kept)).toEqual({ code: 2, ...valid, terms: 'unknown' })
  })
})

describe('svc pay --save-receipt', () => {
  it('pays nothing when the file exists', async () => {
    const before = await world.balance()
    expect(await pay('/signed', saved)).toMatchObject({ code: 64 })
    expect(await world.balance()).toBe(before)
  })

  it('keeps the payment when the seller signs nothing, and says so', async () => {
    const file = join(folder, `${crypto.randomUUID()}.json`)
    const ran = await pay('/unsigned', file)
    expect(ran.code).toBe(0)
    expect(ran.err).toContain('the seller signed no receipt')
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ offer: null, receipt: null })
    expect(ran.lines).toMatchObject([{ proof: { offer: null, receipt: null } }])
  })

  it('leaves no file when nothing was paid', async () => {
    const file = join(folder, 'nothing.json')
    const ran = await svc('pay', `${origin}/signed`, '--max', '0.001', '--save-receipt', file)
    expect(ran.code).toBe(1)
    await expect(readFile(file)).rejects.toThrow('ENOENT')
  })
})
