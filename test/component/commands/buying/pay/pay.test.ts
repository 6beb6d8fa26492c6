import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Asset, Keypair } from '@stellar/stellar-sdk'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type LocalnetServer,
  startLocalnetServer,
} from '../../../../../src/localnet/server/server.ts'
import { passphrases } from '../../../../../src/platform/core/caip2.ts'
import { fundedAccounts } from '../../../../support/funded.ts'
import { PromptLocalnet } from '../../../../support/prompt-localnet.ts'
import {
  type Behave,
  priced,
  type StockSeller,
  servePaidTool,
  sold,
} from '../../../../support/stock/paid-mcp-server.ts'
import { reach } from '../../../../support/stock/stock-client.ts'
import { type Ran, run, type Variables } from '../../admin-world.ts'
import { runHere } from '../../run-here.ts'
import {
  type Answer,
  answers,
  asksFor,
  meteredOffer,
  offer,
  paidServer,
  settled,
} from '../paid-server.ts'
import { failingPays, type PayParties } from './failing-pays.ts'

/*
 * `svc pay URL` on the real embedded network, with sellers that answer what a test wants. Most run in this process; what depends on
 * the start of the program, its pipes or its end runs as a program.
 */

let localnet: LocalnetServer
let folder: string
let parties: PayParties
const stranger = Keypair.random()
/** Of tools that settle nothing. */
const noSeller = {} as StockSeller

beforeAll(async () => {
  const network = new PromptLocalnet({})
  localnet = await startLocalnetServer({ network, closeEveryMs: 'manual', tls: true, tlsPort: 0 })
  reach(localnet)
  const [buyer, poor, bare, seller] = await fundedAccounts(network, [
    { usdc: 5n },
    { usdc: 0n },
    {},
    { usdc: 1n },
  ])
  parties = { buyer: buyer!, poor: poor!, bare: bare!, seller: seller!, stranger }
  folder = await mkdtemp(join(tmpdir(), 'svc-pay-'))
})

afterAll(async () => {
  await localnet?.[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

const env = (changes: Variables = {}): Variables => ({
  PATH: process.env['PATH'],
  BUYER_SECRET: parties.buyer.secret(),
  NODE_EXTRA_CA_CERTS: localnet.caFile,
  ...changes,
})

interface Attempt {
  readonly url: string
  readonly args?: readonly string[]
  readonly changes?: Variables
}

/** With `--json`; checks what holds for every failure. As a program where it trusts another authority. */
async function attempt({ url, args = [], changes = {} }: Attempt): Promise<Ran> {
  const isProgram = 'NODE_EXTRA_CA_CERTS' in changes
  const runs = isProgram ? run : runHere
  const variables = isProgram ? env(changes) : { BUYER_SECRET: parties.buyer.secret(), ...changes }
  const rpc = args.includes('--rpc') ? [] : ['--rpc', localnet.rpcUrl]
  const max = args.some((arg) => arg.startsWith('--max')) ? [] : ['--max', '1']
  const ran = await runs(variables, 'pay', url, ...rpc, ...max, '--json', ...args)
  for (const key of Object.values(parties)) {
    expect(ran.out + ran.err).not.toContain(key.secret())
  }
  expect(ran.err).not.toMatch(/^\s+at /m)
  expect(ran.out).toMatch(/^\{.*\}\n$/)
  return ran
}

const price: () => Answer = () => asksFor(offer(parties.seller.publicKey()))

describe('a tool of an MCP server', () => {
  const forecast: Behave = ({ payment }) =>
    payment ? sold(settled) : priced(offer(parties.seller.publicKey()))
  const serve = () => servePaidTool(noSeller, { behave: forecast })
  const data = ['--data', '{"city":"Hamburg"}']

  test('is paid, and prints the result and the transaction', async () => {
    await using server = await serve()
    const args = ['pay', server.url, '--rpc', localnet.rpcUrl, '--max', '0.01', ...data] as const
    const ran = await runHere(env(), ...args)
    expect(ran).toMatchObject({ code: 0, err: '', out: `sunny\n${settled.transaction}\n` })
    expect(server.payments).toHaveLength(1)
  })

  test('is quoted, and refused above --max', async () => {
    await using server = await serve()
    const quoted = await runHere({}, 'pay', server.url, '--quote', ...data)
    expect(quoted).toMatchObject({ code: 0, err: '' })
    expect(quoted.out).toMatch(/^tools\/call mcp\+http:.+#forecast\n/)
    expect(quoted.out).toContain('0.01 USDC')
    const dear = await attempt({ url: server.url, args: ['--max', '0.009', ...data] })
    expect(dear).toMatchObject({ code: 1, lines: [{ paid: false, error: 'too_expensive' }] })
    expect(server.payments).toEqual([])
  })

  test('is named to who calls its server over HTTP', async () => {
    await using server = await serve()
    const url = server.url.replace('mcp+', '').replace('#forecast', '')
    const ran = await attempt({ url, args: data })
    expect(ran).toMatchObject({ code: 1, lines: [{ paid: false, error: 'no_price' }] })
    expect(ran.err).toContain('This is an MCP server: name a tool of it')
  })
})

/** Of XLM. */
const nativeContract = Asset.native().contractId(passphrases['stellar:testnet'])

/** A metered price with a ceiling of 0.5 USDC. */
const metered: () => Answer = () => asksFor(meteredOffer(parties.seller.publicKey()))

describe('a call that is paid', () => {
  test('prints the answer and the transaction', async () => {
    await using server = await paidServer(price(), answers(200, settled))
    const ran = await run(env(), 'pay', server.url, '--rpc', localnet.rpcUrl, '--max', '0.01')
    expect(ran).toMatchObject({ code: 0, err: '', out: `sunny\n${settled.transaction}\n` })
  })

  test('sends method, headers and body, and is JSON on demand', async () => {
    await using server = await paidServer(price(), answers(201, settled, 'made'))
    const args = [
      '--method',
      'put',
      '--data',
      '{"a":1}',
      '--header',
      'X-A: 1',
      '--header',
      'X-B: 2: 3',
    ]
    const ran = await attempt({ url: server.url, args: [...args, '--max', '0.01'] })
    expect(ran).toMatchObject({ code: 0, err: '' })
    expect(ran.lines).toMatchObject([
      {
        paid: true,
        method: 'PUT',
        status: 201,
        body: 'made',
        payer: parties.buyer.publicKey(),
        settlement: settled,
      },
    ])
    expect(server.paid).toMatchObject([
      {
        method: 'PUT',
        body: '{"a":1}',
        headers: { 'x-a': '1', 'x-b': '2: 3', 'content-type': 'application/json' },
      },
    ])
  })

  test('prints ceiling and use of a metered call', async () => {
    const used = { ...settled, amount: '1230000' }
    await using server = await paidServer(metered(), answers(200, used))
    const args = ['pay', server.url, '--rpc', localnet.rpcUrl, '--max', '0.5'] as const
    expect(await runHere(env(), ...args)).toMatchObject({
      code: 0,
      err: '',
      out: `sunny\nceiling 0.5 USDC, used and paid 0.123 USDC\n${settled.transaction}\n`,
    })
    expect((await runHere(env(), ...args, '--json')).lines).toMatchObject([
      { paid: true, metered: { ceiling: '5000000', used: '1230000' } },
    ])
    const sent: unknown = Object(server.paid[0]?.headers)['payment-signature']
    const payment = JSON.parse(Buffer.from(String(sent), 'base64').toString())
    expect(payment.payload).toMatchObject({ maxAmount: '5000000' })
  })

  test('prints an answer that no pipe takes at once to its end', async () => {
    const long = 'x'.repeat(500_000)
    await using server = await paidServer(price(), answers(200, settled, long))
    const ran = await run(env(), 'pay', server.url, '--rpc', localnet.rpcUrl, '--max', '1')
    expect(ran).toMatchObject({ code: 0, err: '' })
    expect(ran.out).toBe(`${long}\n${settled.transaction}\n`)
  })

  test('keeps an answer that is no text', async () => {
    const picture = (_: unknown, response: import('node:http').ServerResponse) => {
      const paid = Buffer.from(JSON.stringify(settled)).toString('base64')
      response.writeHead(200, { 'payment-response': paid }).end(Buffer.from([0xff, 0xd8, 0, 1]))
    }
    await using server = await paidServer(price(), picture)
    expect((await attempt({ url: server.url })).lines).toMatchObject([
      { paid: true, body: '', bodyBase64: '/9gAAQ==' },
    ])
  })

  test('takes the seed from a file', async () => {
    const file = join(folder, 'seed')
    await writeFile(file, `${parties.buyer.secret()}\n`)
    await using server = await paidServer(price(), answers(200, settled))
    const changes = { BUYER_SECRET: undefined, BUYER_SECRET_FILE: file }
    expect(await attempt({ url: server.url, changes })).toMatchObject({ code: 0 })
  })
})

describe('the price of a call', () => {
  test('is printed without a seed, an RPC or a limit, and nothing is signed', async () => {
    await using server = await paidServer(price(), answers(200, settled))
    const changes = { BUYER_SECRET: undefined, NODE_EXTRA_CA_CERTS: undefined }
    const ran = await run(env(changes), 'pay', server.url, '--quote')
    expect(ran).toMatchObject({ code: 0, err: '' })
    expect(ran.out).toMatch(/^GET http:\S+\n {2}price +0\.01 USDC\n {2}scheme +exact\n/)
    const json = await runHere(env(changes), 'pay', server.url, '--quote', '--json')
    expect(json.lines).toMatchObject([
      { paid: false, quote: { amount: '100000', usdc: '0.01', payTo: parties.seller.publicKey() } },
    ])
    expect(server.paid).toEqual([])
  })

  test('is refused above the limit, as the payment would be', async () => {
    await using server = await paidServer(price(), answers(200, settled))
    const args = ['pay', server.url, '--quote', '--json'] as const
    expect(await runHere(env(), ...args, '--max', '0.01')).toMatchObject({ code: 0 })
    expect(await runHere(env(), ...args, '--max', '0.0099999')).toMatchObject({
      code: 1,
      lines: [{ paid: false, error: 'too_expensive' }],
    })
  })
})

describe('a limit', () => {
  test('of more decimals than the token has ends with 64, before any request', async () => {
    await using server = await paidServer(price(), answers(200, settled))
    const ran = await attempt({ url: server.url, args: ['--max', '0.00000001'] })
    expect(ran).toMatchObject({ code: 64, lines: [{ paid: false, error: 'usage' }] })
    expect(ran.err).toContain('--max has more than the 7 decimals of the token')
    expect(server.calls()).toBe(0)
  })

  test('is needed, before any request', async () => {
    await using server = await paidServer(price(), answers(200, settled))
    const ran = await runHere(env(), 'pay', server.url, '--rpc', localnet.rpcUrl, '--json')
    expect(ran).toMatchObject({ code: 64, lines: [{ paid: false, error: 'usage' }] })
    expect(server.calls()).toBe(0)
  })

  test('of another token is in units of that token', async () => {
    const asset = nativeContract
    await using server = await paidServer(
      asksFor(offer(parties.seller.publicKey(), { asset, amount: '20000000' })),
      answers(200, settled),
    )
    const of = (max: string) => attempt({ url: server.url, args: ['--asset', asset, '--max', max] })
    expect(await of('1.9999999')).toMatchObject({ code: 1, lines: [{ error: 'too_expensive' }] })
    expect(await of('2')).toMatchObject({
      code: 0,
      lines: [{ paid: true, receipt: { asset, amount: '20000000', usdc: null } }],
    })
  })
})

describe('the words of a seller', () => {
  test('are shown behind a bar, without control characters', async () => {
    const text = 'bad\u001b[2Jrequest\nsvc pay: paid'
    await using server = await paidServer(price(), answers(400, undefined, text))
    const rpc = ['--rpc', localnet.rpcUrl]
    const ran = await runHere(env(), 'pay', server.url, ...rpc, '--max', '1')
    expect(ran).toMatchObject({ code: 2, out: '' })
    expect(ran.err).toMatch(
      /the seller's answer \(400\):\n {2}\| bad\[2Jrequest\n {2}\| svc pay: paid\n$/,
    )
  })
})

describe('a call that is not, or may not be, paid', () => {
  test.each(failingPays(() => parties))('says so in a sentence when $when', async (failing) => {
    const {
      first = price,
      paidAnswer = answers(200, settled),
      args = [],
      changes = () => ({}),
    } = failing
    const { exit = 1, paid = false, error, says, isSent = false } = failing
    await using server = await paidServer(first(), paidAnswer)
    const ran = await attempt({ url: server.url, args, changes: changes() })
    expect(ran.code, ran.err).toBe(exit)
    expect(ran.lines).toMatchObject([{ paid, error, message: expect.stringMatching(says) }])
    const { message, hint } = ran.lines[0]
    if (failing.hint) expect(hint).toMatch(failing.hint)
    const said = `svc pay: ${message}.\n${hint === undefined ? '' : `${hint}\n`}`
    expect(ran.err.startsWith(said), ran.err).toBe(true)
    // What follows are the seller's words, marked as such.
    expect(ran.err.slice(said.length)).toMatch(/^(the seller's answer \(.*\):\n( {2}\|.*\n)+)?$/)
    expect(server.paid.length > 0).toBe(isSent)
  })

  test('is refused by a server that is gone', async () => {
    const ran = await attempt({ url: 'http://127.0.0.1:1023/' })
    expect(ran).toMatchObject({ code: 1, lines: [{ paid: false, error: 'unreachable' }] })
    expect(ran.err).toMatch(/^svc pay: http:\/\/127\.0\.0\.1:1023\/ refuses connections: nothing/)
  })

  test('is refused by an https server that Node does not trust', async () => {
    const changes = { NODE_EXTRA_CA_CERTS: undefined }
    const ran = await attempt({ url: localnet.rpcUrl, changes })
    expect(ran).toMatchObject({ code: 1, lines: [{ paid: false, error: 'untrusted' }] })
    expect(ran.err).toContain('NODE_EXTRA_CA_CERTS=FILE')
  })
})

test('exits 1 where no demo runs', async () => {
  const ran = await runHere(env(), 'pay', '--dir', folder, '--json')
  expect(ran).toMatchObject({ code: 1, lines: [{ paid: false, error: 'no_demo' }] })
  expect(ran.err).toMatch(/^svc pay: no demo runs here\n/)
})
