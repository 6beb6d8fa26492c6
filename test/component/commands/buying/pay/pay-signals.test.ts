import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { referenceOf } from '../../../../../src/buying/outcome/payment-reference.ts'
import { PAID_PATH, paidApi } from '../../../../../src/demo/seller/seller.ts'
import { systemClock } from '../../../../../src/platform/core/time/clock.ts'
import { svcProgram } from '../../../../support/programs/program-path.ts'
import { type Stack, startStack, usdc } from '../../../../support/stack.ts'
import { type Account, accountWithUsdc, reach } from '../../../../support/stock/stock-client.ts'
import type { Ran, Variables } from '../../admin-world.ts'
import { runHere } from '../../run-here.ts'
import { DEADLINE_MS, SignalledSvc } from '../../signalled-svc.ts'
import { noTerminal } from '../../terminal.ts'
import { type Answer, answers, asksFor, offer, paidServer, settled } from '../paid-server.ts'

/* `svc pay` and `svc kube pay` when signals end them, and `svc pay status` afterwards. */

let stack: Stack
let buyer: Account
let seller: Account
let folder: string

beforeAll(async () => {
  stack = await startStack({ tls: true, upto: true, closeEveryMs: 'on-send' })
  reach(stack.localnet)
  buyer = await accountWithUsdc(stack.localnet, 5n)
  seller = await accountWithUsdc(stack.localnet)
  folder = await mkdtemp(join(tmpdir(), 'svc-pay-signals-'))
  await writeFile(join(folder, 'seed'), `${buyer.secret}\n`)
})

afterAll(async () => {
  await stack?.[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

const env = (changes: Variables = {}): Variables => ({
  PATH: process.env['PATH'],
  BUYER_SECRET: buyer.secret,
  NODE_EXTRA_CA_CERTS: stack.localnet.caFile,
  ...changes,
})

const until = (fact: () => unknown) =>
  expect.poll(fact, { timeout: DEADLINE_MS, interval: 20 }).toBe(true)

const payArgs = (url: string) => ['pay', url, '--rpc', stack.localnet.rpcUrl, '--max', '1']
const price = (): Answer => asksFor(offer(seller.address))

/** An answer that comes when a test lets it. */
function heldAnswer(answer: Answer) {
  const released = Promise.withResolvers<void>()
  const held: Answer = (...call) => void released.promise.then(() => answer(...call))
  return { held, release: () => released.resolve() }
}
const silent: Answer = () => undefined

const status = (reference: string, ...more: readonly string[]): Promise<Ran> =>
  runHere({}, 'pay', 'status', reference, '--rpc', stack.localnet.rpcUrl, ...more)

describe('a signal before anything was sent', () => {
  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('%s ends the command at once: nothing was paid', async (name, code) => {
    await using server = await paidServer(silent, silent)
    using paying = new SignalledSvc(env(), ...payArgs(server.url), '--json')
    await until(() => server.calls() === 1)
    paying.signal(name)
    const message = `stopped by ${name}`
    expect(await paying.ended).toMatchObject({
      code,
      lines: [{ paid: false, error: 'stopped', message }],
      err: `svc pay: ${message}. Nothing was paid.\n`,
    })
    expect(server.paid).toEqual([])
  })

  test('is heard while the command loads', async () => {
    // Sends the signal once, when the program has begun to listen and goes on to load the command.
    const self =
      "let sent; process.on('newListener', (name) => { if (name === 'SIGTERM') sent ??= queueMicrotask(() => process.kill(process.pid, 'SIGINT')) ?? true })"
    const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(self)}`
    await using server = await paidServer(silent, silent)
    using paying = new SignalledSvc(env({ NODE_OPTIONS }), ...payArgs(server.url), '--json')
    expect(await paying.ended).toMatchObject({
      code: 130,
      lines: [{ paid: false, error: 'stopped' }],
      err: 'svc pay: stopped by SIGINT. Nothing was paid.\n',
    })
  })
})

describe('a signal after the payment was sent', () => {
  test('lets the answer come: paid', async () => {
    const { held, release } = heldAnswer(answers(200, settled))
    await using server = await paidServer(price(), held)
    using paying = new SignalledSvc(env(), ...payArgs(server.url))
    await until(() => server.paid.length === 1)
    await paying.askToEnd('SIGHUP')
    // The shell of a closed terminal can send it as well as the kernel.
    paying.signal('SIGHUP')
    release()
    expect(await paying.ended).toMatchObject({ code: 0, out: `sunny\n${settled.transaction}\n` })
  })

  test('ends with an unknown outcome when no answer comes in time', async () => {
    await using server = await paidServer(price(), silent)
    using paying = new SignalledSvc(env(), ...payArgs(server.url))
    await until(() => server.paid.length === 1)
    await paying.askToEnd('SIGTERM')
    const ran = await paying.ended
    expect(ran).toMatchObject({ code: 2, out: '' })
    expect(ran.err).toMatch(
      /^svc pay: stopped by SIGTERM before http:\S+ answered the payment\.\nThe payment may have been made, or may still be\. Look at the account G\w{55} before you pay again\. It can be settled until ledger \d+, about \d{4}-\S+Z\. What became of it says: svc pay status testnet_\w+ --rpc https:\S+ The same command again pays nothing more while it is open\.\n$/m,
    )
  })

  test('ends at once with a second one, and the reference shows until when it is open', async () => {
    await using server = await paidServer(price(), silent)
    using paying = new SignalledSvc(env(), ...payArgs(server.url), '--json')
    await until(() => server.paid.length === 1)
    const before = stack.localnet.network.latest.sequence
    await paying.askToEnd('SIGINT')
    paying.signal('SIGINT')
    const ran = await paying.ended
    expect(ran).toMatchObject({
      code: 2,
      lines: [
        {
          paid: null,
          error: 'outcome_unknown',
          message: `stopped by SIGINT before ${server.url} answered the payment`,
          receipt: { outcome: 'unknown', payer: buyer.address, signed: '100000', amount: null },
        },
      ],
    })
    const { reference, lastLedger } = ran.lines[0].receipt
    expect(lastLedger).toBeGreaterThan(before)

    expect(await status(reference, '--json')).toMatchObject({
      code: 2,
      lines: [{ paid: null, state: 'open', payer: buyer.address, lastLedger }],
    })
    expect((await status(reference)).out).toContain('it can still be settled')
    await closeLedgersThrough(lastLedger)
    expect(await status(reference, '--json')).toMatchObject({
      code: 1,
      lines: [{ paid: false, state: 'expired' }],
    })
    expect((await status(reference)).out).toContain('moved nothing')
  })

  test('does not hide a payment that a stock seller has settled afterwards', async () => {
    const api = paidApi({
      facilitatorUrl: stack.baseUrl,
      network: 'stellar:testnet',
      payTo: seller.address,
      clock: systemClock,
    })
    const server: Server = api.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const taken = stack.taken.length
    stack.hold(true)
    try {
      using paying = new SignalledSvc(
        env(),
        ...payArgs(`http://127.0.0.1:${port}${PAID_PATH}`),
        '--json',
      )
      await until(() => stack.taken.length === taken + 1)
      await paying.askToEnd('SIGINT')
      paying.signal('SIGTERM')
      const ran = await paying.ended
      expect(ran).toMatchObject({ code: 2, lines: [{ paid: null, error: 'outcome_unknown' }] })
      stack.hold(false)
      await stack.localnet.closeLedger()
      const { reference } = ran.lines[0].receipt
      expect(await status(reference, '--json')).toMatchObject({
        code: 0,
        lines: [
          { paid: true, state: 'settled', amount: '100000', transaction: stack.taken[taken] },
        ],
      })
      expect((await status(reference)).out).toMatch(/^ {2}paid +0\.01 USDC$/m)
    } finally {
      stack.hold(false)
      server.closeAllConnections()
      server.close()
    }
  })

  test.skipIf(noTerminal)('is no reason to crash when its terminal is closed', async () => {
    await using server = await paidServer(price(), silent)
    const [out, code] = [join(folder, 'out.json'), join(folder, 'code')]
    const svc = [process.execPath, svcProgram(), ...payArgs(server.url), '--json'].join(' ')
    // As an interactive shell does, it hands the signal on; and it outlives its terminal, to say how the program ended.
    const line = `trap 'kill -HUP $!' HUP; ${svc} >${out} & wait $!; wait $!; echo $? >${code}`
    const terminal = spawn('script', ['--quiet', '--command', line, '/dev/null'], {
      env: { ...env(), SHELL: '/bin/sh', TERM: 'dumb' },
      stdio: ['pipe', 'ignore', 'inherit'],
    })
    try {
      await until(() => server.paid.length === 1)
    } finally {
      terminal.kill('SIGKILL')
    }
    const written = () => readFile(code, 'utf8').catch(() => '')
    await expect.poll(written, { timeout: DEADLINE_MS, interval: 50 }).toBe('2\n')
    expect(JSON.parse(await readFile(out, 'utf8'))).toMatchObject({
      paid: null,
      error: 'outcome_unknown',
      receipt: { reference: expect.stringMatching(/^testnet_/) },
    })
  })
})

describe('a test payment', () => {
  const kubePay = (url: string, ...more: readonly string[]) =>
    new SignalledSvc(
      env({ BUYER_SECRET: undefined }),
      ...['kube', 'pay', '--url', url, '--rpc', stack.localnet.rpcUrl],
      ...['--buyer-secret-file', join(folder, 'seed'), '--pay-to', seller.address, ...more],
    )

  test('that is stopped before anything was sent says that nothing was paid', async () => {
    await using facilitator = await heldFacilitator('/supported')
    using paying = kubePay(facilitator.url, '--json')
    await until(() => facilitator.reached)
    paying.signal('SIGTERM')
    expect(await paying.ended).toMatchObject({
      code: 130,
      lines: [{ paid: false, error: 'stopped', message: 'stopped by SIGTERM' }],
      err: 'svc kube: stopped by SIGTERM. Nothing was paid.\n',
    })
  })

  test('that is only verified is not settled, and its facilitator has the signature', async () => {
    await using facilitator = await heldFacilitator('/verify')
    const taken = stack.taken.length
    using paying = kubePay(facilitator.url)
    await until(() => facilitator.reached)
    paying.signal('SIGINT')
    const ran = await paying.ended
    expect(ran.code).toBe(2)
    expect(ran.out).toMatch(
      /^verify +unknown\nsettle +unknown: stopped by SIGINT before it was asked for$/m,
    )
    const [, reference = ''] = /What became of it says: svc pay status (\w+)/.exec(ran.err) ?? []
    expect(await status(reference, '--json')).toMatchObject({ lines: [{ state: 'open' }] })
    expect(stack.taken.length).toBe(taken)
  })

  test('that settles may end in the moment after a signal', async () => {
    await using facilitator = await heldFacilitator('/settle')
    using paying = kubePay(facilitator.url, '--json')
    await until(() => facilitator.reached)
    await paying.askToEnd('SIGTERM')
    facilitator.release()
    expect(await paying.ended).toMatchObject({ code: 0, lines: [{ paid: true }] })
  })

  test('that settles later can be looked up', async () => {
    await using facilitator = await heldFacilitator('/settle')
    const taken = stack.taken.length
    using paying = kubePay(facilitator.url, '--json')
    await until(() => facilitator.reached)
    await paying.askToEnd('SIGINT')
    paying.signal('SIGINT')
    const ran = await paying.ended
    expect(ran).toMatchObject({
      code: 2,
      lines: [{ paid: null, settle: { reason: 'stopped by SIGINT before it was settled' } }],
    })
    facilitator.release()
    const { reference } = ran.lines[0]
    await until(() => stack.taken.length > taken)
    expect(await status(reference, '--json')).toMatchObject({
      code: 0,
      lines: [{ paid: true, amount: '1000', transaction: stack.taken[taken] }],
    })
  })
})

describe('svc pay status', () => {
  const reference = (last: number) =>
    referenceOf({
      network: 'stellar:testnet',
      authorization: {
        asset: usdc,
        payer: buyer.address,
        nonce: -5n,
        afterLedger: 1,
        lastLedger: last,
      },
    })

  test('proves nothing where the RPC does not answer', async () => {
    const ran = await runHere(
      {},
      'pay',
      'status',
      reference(9),
      '--rpc',
      'https://127.0.0.1:1023',
      '--json',
    )
    expect(ran).toMatchObject({ code: 2, lines: [{ paid: null, error: 'rpc_unreachable' }] })
    expect(ran.err).toMatch(/^svc pay: the Stellar RPC https:\/\/127\.0\.0\.1:1023 refuses/)
  })

  test('proves nothing where the RPC is of another network', async () => {
    const pubnet = reference(9).replace('testnet', 'pubnet')
    expect(await status(pubnet, '--json')).toMatchObject({
      code: 2,
      lines: [{ paid: null, error: 'rpc_other_network' }],
    })
  })

  test('refuses a reference that lost its end', async () => {
    const cut = reference(9).slice(0, -1)
    expect(await status(cut, '--json')).toMatchObject({ code: 64, lines: [{ error: 'usage' }] })
  })
})

/** The facilitator behind a proxy that passes requests for one path on only when a test lets it. */
async function heldFacilitator(path: string) {
  const released = Promise.withResolvers<void>()
  let reached = false
  const passing: Promise<void>[] = []
  const pass = async (request: IncomingMessage, response: ServerResponse) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part)
    if (request.url === path) {
      reached = true
      await released.promise
    }
    const answer = await fetch(stack.baseUrl + request.url, {
      headers: { 'content-type': 'application/json' },
      ...(request.method === 'POST' && { method: 'POST', body: Buffer.concat(parts) }),
    })
    response.writeHead(answer.status, { 'content-type': 'application/json' })
    response.end(await answer.text())
  }
  const proxy = createServer((...call) => void passing.push(pass(...call)))
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const { port } = proxy.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    get reached() {
      return reached
    },
    release: () => released.resolve(),
    async [Symbol.asyncDispose]() {
      released.resolve()
      await Promise.all(passing)
      proxy.closeAllConnections()
      proxy.close()
    },
  }
}

async function closeLedgersThrough(ledger: number): Promise<void> {
  while (stack.localnet.network.latest.sequence <= ledger) await stack.localnet.closeLedger()
}
