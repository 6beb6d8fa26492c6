import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readFile, symlink, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { wrapFetchWithPayment } from '@x402/fetch'
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest'
import { type LocalnetServer, startLocalnetServer } from '../../src/localnet/server/server.ts'
import { secretOfSeed, signerFromSeed } from '../../src/stellar/accounts/signer.ts'
import { accountWithUsdc, reach, stockClient } from '../support/stock/stock-client.ts'
import type { Runtime } from './support/runtimes.ts'

const UNIT = 10_000_000n
const SERVERS = 3

/** The part of a page that the pattern's group matches. */
async function partOf(page: string, pattern: RegExp): Promise<string> {
  const [, code] = pattern.exec(await readFile(page, 'utf8')) ?? []
  if (code === undefined) throw new Error(`${page} has no ${pattern}`)
  return code
}

/** The Express server of docs/package.md as it stands there, and what sells with the same facilitator through Hono and Fastify. */
const serverProgram = async (): Promise<string> => `
${await partOf('docs/package.md', /```js\n(import \{ paymentMiddleware[\s\S]*?)```/)}
import { serve } from '@hono/node-server'
import { x402HTTPResourceServer } from '@x402/core/server'
import { paymentMiddleware as honoPayments, x402ResourceServer as HonoResources } from '@x402/hono'
import Fastify from 'fastify'
import { Hono } from 'hono'
{
  const accepts = { scheme: 'exact', price: '$0.01', network, payTo: PAY_TO }
  const app = new Hono()
  // On the 2.9.0 line, npm has this package in a newer version alone.
  const own = new HonoResources(facilitator).register(network, scheme)
  app.use(honoPayments({ 'GET /weather': { accepts } }, own))
  app.get('/weather', (context) => context.json({ weather: 'sunny' }))
  const server = serve({ fetch: app.fetch, port: 0 }, ({ port }) => console.log('http://127.0.0.1:' + port))
  process.once('SIGTERM', () => server.close())
}
{
  const server = resources
  ${await partOf('docs/sellers.md', /(const offer = new x402HTTPResourceServer[\s\S]*?paid\.addHook\('onSend'[\s\S]*?\n {2}\}\)\n)/)}
    paid.get('/weather', async () => ({ weather: 'sunny' }))
  })
  console.log(await app.listen({ host: '127.0.0.1', port: 0 }))
  process.once('SIGTERM', () => app.close())
}
`

/** Why a stock server did not sell. */
const refusalOf = ({ headers }: Response): string =>
  Buffer.from(
    headers.get('payment-response') ?? headers.get('payment-required') ?? '',
    'base64',
  ).toString()

/** Sells to a stock client through three servers that use the packages of a stock line. */
export function describeSellers(
  { node, program: runtime }: Runtime,
  stock: 'stock-newest' | 'stock-2.9',
): void {
  let localnet: LocalnetServer
  beforeAll(async () => {
    localnet = await startLocalnetServer({ closeEveryMs: 1_000, tls: true })
    reach(localnet)
  })
  afterAll(() => localnet[Symbol.asyncDispose]())

  describe(`the server of docs/package.md on ${node}, beside servers of Hono and Fastify, with ${stock}`, () => {
    it('sells to a stock client, logs nothing, and ends by itself', {
      timeout: 240_000,
    }, async () => {
      const seed = randomBytes(32)
      const { address } = signerFromSeed(seed)
      await localnet.pay({ address, asset: 'XLM', amount: 1_000n * UNIT })
      const [buyer, seller] = [await accountWithUsdc(localnet), await accountWithUsdc(localnet)]

      const folder = await mkdtemp(join(inject('installed').folder, 'server-'))
      await symlink(resolve('test/fixtures', stock, 'node_modules'), join(folder, 'node_modules'))
      const file = join(folder, 'server.js')
      await writeFile(file, await serverProgram())
      const child = spawn(runtime, [file], {
        env: {
          PORT: '0',
          RPC_URL: localnet.httpUrl,
          SPONSOR_SECRET: secretOfSeed(seed),
          PAY_TO: seller.address,
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      const ended = once(child, 'exit')
      let printed = ''
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (each) => (printed += each))
      try {
        const addresses = () => printed.match(/^http:\S+\n/gm) ?? []
        await vi.waitUntil(() => addresses().length === SERVERS || child.exitCode !== null, {
          timeout: 240_000,
        })
        expect(addresses(), printed).toHaveLength(SERVERS)
        const pay = wrapFetchWithPayment(fetch, stockClient(localnet, buyer))
        for (const url of addresses()) {
          const answer = await pay(`${url.trim()}/weather`)
          expect(answer.status, `${url}${refusalOf(answer)}`).toBe(200)
          expect(answer.headers.get('payment-response')).not.toBeNull()
          expect(await answer.json()).toEqual({ weather: 'sunny' })
        }
        child.kill('SIGTERM')
        expect(await ended).toEqual([0, null])
        expect(printed).toBe(addresses().join(''))
      } finally {
        child.kill('SIGKILL')
      }
    })
  })
}
