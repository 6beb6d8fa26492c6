import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { listSettlements } from '../../../../src/payments/store/settlements/list.ts'
import { createLogger } from '../../../../src/platform/telemetry/logs/logger.ts'
import { secretOfSeed } from '../../../../src/stellar/accounts/signer.ts'
import { openPaymentStack } from '../../../support/payment-stack.ts'
import { openWallet, payment } from '../../../support/payments.ts'
import { svcProgram } from '../../../support/programs/program-path.ts'
import { startRpcProxy } from '../../../support/rpc-proxy.ts'
import type { Stack, StackOptions } from '../../../support/stack.ts'

interface Line {
  readonly level: string
  readonly msg: string
  readonly requestId?: string
  readonly settlement?: string
  readonly [member: string]: unknown
}

async function loggedStack(options: Omit<StackOptions, 'store'> = {}) {
  const texts: string[] = []
  const logger = createLogger({
    level: 'trace',
    destination: { write: (line) => texts.push(line) },
  })
  const stack = await openPaymentStack({ logger, ...options })
  const lines = (): Line[] => texts.map((text) => JSON.parse(text))
  return { stack, texts, lines }
}

async function send(stack: Stack, body: unknown, requestId = 'request-of-the-test') {
  return fetch(`${stack.baseUrl}/settle`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-request-id': requestId,
      'x-api-key': 'svc_THEKEY',
      authorization: 'Bearer svc_THEKEY',
    },
    body: JSON.stringify(body),
  })
}

async function paymentOn({ localnet }: Stack) {
  const payer = await openWallet(localnet)
  const { address: payTo } = await openWallet(localnet)
  return { payer, payTo, body: await payment(localnet, { payer, payTo }) }
}

describe('the lines of a payment', () => {
  it('each name the request and the settlement, and the last one the outcome', async () => {
    const { stack, lines } = await loggedStack()
    await using _stack = stack
    const { payer, payTo, body } = await paymentOn(stack)
    const before = lines().length
    const answer = await send(stack, body)
    expect(answer.headers.get('x-request-id')).toBe('request-of-the-test')
    const { transaction }: { transaction?: string } = Object(await answer.json())

    const about = () =>
      lines()
        .slice(before)
        .filter(({ requestId }) => requestId !== undefined)
    await expect
      .poll(() => about().map(({ msg }) => msg), { timeout: 120_000 })
      .toContain('Request answered')
    const settlement = expect.stringContaining(`stellar:testnet/${payer.address}/`)
    for (const line of about()) {
      expect(line).toMatchObject({ requestId: 'request-of-the-test', settlement })
    }
    expect(about().filter(({ level }) => level === 'info')).toEqual([
      expect.objectContaining({
        msg: 'Payment answered',
        operation: 'settle',
        outcome: 'success',
        payer: payer.address,
        hash: transaction,
        network: 'stellar:testnet',
        asset: body.paymentRequirements['asset'],
        amount: body.paymentRequirements['amount'],
        payTo,
        ms: expect.any(Number),
      }),
    ])
  })

  it('give the cause of a failed answer once, and of a refused request below info', async () => {
    await using proxy = await startRpcProxy()
    const { stack, lines } = await loggedStack({ rpcThrough: (url) => proxy.forwardTo(url) })
    await using _stack = stack
    const { body } = await paymentOn(stack)
    await send(stack, {}, 'malformed')
    proxy.fail('simulateTransaction', { kind: 'status', status: 400 })
    expect((await send(stack, body, 'unanswered')).status).toBe(503)

    const warned = lines().filter(
      ({ level, requestId }) => level === 'warn' && requestId === 'unanswered',
    )
    const failures = warned.filter(({ msg }) => msg === 'Request could not be answered')
    expect(failures).toEqual([
      expect.objectContaining({
        settlement: expect.any(String),
        err: expect.objectContaining({ type: 'RpcError' }),
      }),
    ])
    const refused = lines().filter(({ requestId }) => requestId === 'malformed')
    expect(refused.map(({ level }) => level)).toEqual(['debug', 'debug'])
  })

  it('name the settlement that another run left unfinished', async () => {
    const { stack, lines } = await loggedStack({
      timings: {
        confirmWindowMs: 200,
        duplicateWaitMs: 200,
        stopWaitMs: 100,
        followedForMs: 1_000,
      },
      reconcileIntervalMs: 200,
    })
    await using _stack = stack
    const { payer, body } = await paymentOn(stack)
    stack.hold(true)
    await send(stack, body)
    await stack.restart()
    stack.hold(false)
    const taken = () => lines().filter(({ msg }) => msg === 'Settlement taken over')
    await expect.poll(taken, { timeout: 120_000, interval: 50 }).not.toEqual([])
    await stack.localnet.closeLedger()
    const finished = () => lines().filter(({ msg }) => msg === 'Settlement finished')
    await expect.poll(finished, { timeout: 120_000, interval: 50 }).toEqual([
      expect.objectContaining({
        level: 'info',
        settlement: expect.stringContaining(payer.address),
      }),
    ])
    const reconciled = await stack.metrics.reconciled.get()
    expect(reconciled.values.map(({ value }) => value)).toEqual([1])
  })

  it('hold no secret, whether it is settled, refused or fails', async () => {
    await using proxy = await startRpcProxy()
    const { stack, texts } = await loggedStack({ rpcThrough: (url) => proxy.forwardTo(url) })
    await using _stack = stack
    const envelopes: string[] = []
    const { payer, payTo, body } = await paymentOn(stack)
    await send(stack, body)
    await send(stack, await payment(stack.localnet, { payer, payTo, amount: 10n ** 15n }))
    proxy.fail('*', { kind: 'hang up' }, 20)
    await send(stack, await payment(stack.localnet, { payer, payTo }))
    proxy.heal()
    for (const { recorded } of await listSettlements(stack.store.db, {
      only: 'all',
      network: undefined,
      limit: 50,
    })) {
      if (recorded) envelopes.push(recorded.envelopeXdr)
    }

    const all = texts.join('')
    expect(envelopes.length).toBeGreaterThan(0)
    const secrets = ['svc_THEKEY', String(body.paymentPayload.payload['transaction'])]
    for (const secret of [...secrets, ...envelopes]) expect(all).not.toContain(secret)
    // No seed at all, so the sponsor's neither.
    expect(all).not.toMatch(/\bS[A-Z2-7]{55}\b/)
    expect(all).not.toMatch(/postgres(ql)?:\/\//)
  })
})

describe('a service that cannot start', () => {
  it('says so without the password of the database and the seed', async () => {
    const seed = secretOfSeed(randomBytes(32))
    const child = spawn(process.execPath, [svcProgram(), 'serve'], {
      env: {
        TESTNET_RPC_URL: 'http://127.0.0.1:1/path-with-KEYHIDDEN',
        TESTNET_SPONSOR_SECRET: seed,
        DATABASE_URL: 'postgres://svc:PASSWORDHIDDEN@127.0.0.1:1/svc',
        LOG_LEVEL: 'trace',
      },
    })
    let said = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (said += text))
    const [code] = await once(child, 'close')

    expect(code).toBe(1)
    expect(said).toContain('Nothing accepts connections at 127.0.0.1:1')
    for (const secret of [seed, 'PASSWORDHIDDEN', 'KEYHIDDEN']) expect(said).not.toContain(secret)
  })
})
