import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type SteadyClock, systemClock } from '../../../../src/platform/core/time/clock.ts'
import { createLogger } from '../../../../src/platform/telemetry/logs/logger.ts'
import { acceptedKeys } from '../../../support/api-keys.ts'
import { openWallet } from '../../../support/payments.ts'
import { type Answer, type Stack, startStack } from '../../../support/stack.ts'
import { reach } from '../../../support/stock/stock-client.ts'
import { type StockRequest, stockRequest } from '../../../support/stock/stock-request.ts'
import { settleOf, uptoPayment } from '../../../support/upto-payments.ts'
import { recordDiscovery, recordValidation } from './record-discovery.ts'
import { committedExamples, type Recording, steady, writeExamples } from './recording.ts'

/*
 * Every example of the OpenAPI document is a request to a real service or its answer. This test compares
 * them. To record them again:
 *
 *   RECORD_EXAMPLES=yes npx vitest run test/component/service/openapi/examples && make generate
 */

const { RECORD_EXAMPLES } = process.env

/** Shows why the service failed. */
const logger = createLogger({ level: 'error' })

/** Shortens every pause to 50 ms: a service pauses many times before it gives a lost network up. */
const hasty: SteadyClock = {
  now: () => systemClock.now(),
  monotonic: () => systemClock.monotonic(),
  sleep: (ms, signal) => systemClock.sleep(Math.min(ms, 50), signal),
}

const KEY = 'svc_example'
const json = { 'content-type': 'application/json' }

/** A request as the stack's own calls do not make it: with other headers. */
async function send(
  { baseUrl }: Stack,
  path: string,
  { headers, body }: { readonly headers: Record<string, string>; readonly body?: string },
): Promise<Answer> {
  const response = await fetch(baseUrl + path, {
    headers,
    ...(body !== undefined && { method: 'POST', body }),
  })
  return { status: response.status, headers: response.headers, body: await response.json() }
}

const opened = new AsyncDisposableStack()
const recorded: Recording = {}

const record = (where: string, name: string, summary: string, value: unknown) => {
  recorded[where] = { ...recorded[where], [name]: { summary, value } }
}

const recordAnswer = (operation: string, name: string, summary: string, answer: Answer) => {
  if (answer.status === 500) throw new Error(`${operation} failed: ${JSON.stringify(answer.body)}`)
  record(`${operation} ${answer.status}`, name, summary, answer.body)
}

beforeAll(async () => {
  const keys = acceptedKeys(KEY)
  const stack = opened.use(
    await startStack({ closeEveryMs: 'on-send', tls: true, upto: true, logger, keys }),
  )
  reach(stack.localnet)
  await recordHealth(stack)
  const { body } = await stockRequest(stack.localnet)
  for (const operation of ['verify', 'settle']) {
    record(`${operation} request`, 'exact', 'As the stock client sends it', body)
  }
  await recordVerdicts(stack, body)
  await recordMetered(stack)
  await recordRefusals(stack, body)
  await recordUnavailable(body)
  await recordDiscovery(recordAnswer)
  await recordValidation(record, recordAnswer)
})
afterAll(() => opened.disposeAsync())

/** Before the first payment: later numbers depend on when the service counts. */
async function recordHealth(stack: Stack): Promise<void> {
  const health = await vi.waitFor(
    async () => {
      const answer = await stack.get('/health')
      expect(answer.body).toMatchObject({ state: 'healthy' })
      return answer
    },
    { timeout: 120_000, interval: 20 },
  )
  recordAnswer('health', 'healthy', 'All is well', health)
  recordAnswer('start', 'program', 'For a program', await stack.get('/'))
}

async function recordVerdicts(stack: Stack, body: StockRequest['body']): Promise<void> {
  recordAnswer('supported', 'exact', 'One network, both schemes', await stack.get('/supported'))
  recordAnswer('ready', 'ready', 'All is well', await stack.get('/ready'))
  recordAnswer('usage', 'noKey', 'No key was sent', await stack.get('/usage'))
  const key = { 'x-api-key': KEY }
  await send(stack, '/verify', { headers: { ...key, ...json }, body: JSON.stringify(body) })
  const usage = await send(stack, '/usage', { headers: key })
  recordAnswer('usage', 'oneRequest', 'One verification with this key', usage)
  const dearer = withAmount(body, '200000')
  recordAnswer('verify', 'valid', 'It would settle', await stack.post('/verify', body))
  recordAnswer(
    'verify',
    'invalid',
    'Another amount was signed',
    await stack.post('/verify', dearer),
  )
  const settled = await send(stack, '/settle', {
    headers: { ...key, ...json },
    body: JSON.stringify(body),
  })
  recordAnswer('settle', 'success', 'It is on the ledger', settled)
  const statement = `/usage/statement?month=${new Date().toISOString().slice(0, 7)}`
  recordAnswer(
    'statement',
    'onePayment',
    'One payment with this key',
    await send(stack, statement, { headers: key }),
  )
  recordAnswer('statement', 'noKey', 'No key was sent', await stack.get(statement))
  recordAnswer(
    'statement',
    'noMonth',
    'No month was named',
    await send(stack, '/usage/statement', { headers: key }),
  )
  recordAnswer(
    'settle',
    'refused',
    'Another amount was signed',
    await stack.post('/settle', dearer),
  )
}

/** In the scheme `upto`: what was used is less than the ceiling. */
async function recordMetered(stack: Stack): Promise<void> {
  const { localnet } = stack
  const { body } = await stack.get('/supported')
  const { extra } = body.kinds.find((kind: { scheme: string }) => kind.scheme === 'upto')
  const service = { contract: extra.uptoContract, authority: extra.authority }
  const [payer, seller] = await Promise.all([openWallet(localnet), openWallet(localnet, 1n)])
  const ceiling = await uptoPayment(localnet, service, { payer, payTo: seller.address })
  const used = settleOf(ceiling, 40_000n)
  record('verify request', 'upto', 'The ceiling that the buyer signed', ceiling)
  record('settle request', 'upto', 'What was used of it', used)
  const settled = await stack.post('/settle', used)
  recordAnswer('settle', 'metered', 'Less than the ceiling was settled', settled)
}

async function recordRefusals(stack: Stack, body: StockRequest['body']): Promise<void> {
  for (const operation of ['verify', 'settle'] as const) {
    const post = (sent: string | object) => stack.post(`/${operation}`, sent)
    recordAnswer(operation, 'notJson', 'The body is no JSON', await post('{'))
    const { paymentPayload: _missing, ...rest } = body
    recordAnswer(operation, 'shape', 'A member is missing', await post(rest))
    const { x402Version: _version, ...older } = body
    recordAnswer(
      operation,
      'version',
      'It is not x402 version 2',
      await post({ x402Version: 1, ...older }),
    )
    const text = { headers: { 'content-type': 'text/plain' }, body: 'a payment' }
    recordAnswer(operation, 'text', 'The body is text', await send(stack, `/${operation}`, text))
    const oversized = { filler: 'x'.repeat(140_000) }
    recordAnswer(operation, 'oversized', 'The body is too large', await post(oversized))
  }
}

/** A service that needs a key, one with a limit of one request a minute, and one that loses its network. */
async function recordUnavailable(body: StockRequest['body']): Promise<void> {
  await using strict = await startStack({
    closeEveryMs: 'on-send',
    network: { requireApiKey: true },
    logger,
  })
  await using slow = await startStack({ closeEveryMs: 'on-send', perMinute: 1, logger })
  await using lost = await startStack({ closeEveryMs: 'on-send', clock: hasty })
  await lost.localnet.close()
  const both = ['verify', 'settle'] as const
  const post = (stack: Stack) =>
    Promise.all(both.map((operation) => stack.post(`/${operation}`, body)))
  const rows = [
    { name: 'noKey', summary: 'The network needs an API key', answers: await post(strict) },
    { name: 'tooMany', summary: 'Over the limit', answers: await untilRefused(() => post(slow)) },
    { name: 'noNetwork', summary: 'No RPC endpoint answers', answers: await post(lost) },
  ]
  for (const { name, summary, answers } of rows) {
    for (const [at, answer] of answers.entries()) {
      recordAnswer(both[at] ?? '', name, summary, answer)
    }
  }
}

/** Retries when a minute ends between two requests. */
async function untilRefused(send: () => Promise<Answer[]>): Promise<Answer[]> {
  for (let tries = 0; tries < 10; tries += 1) {
    const answers = await send()
    if (answers.every(({ status }) => status === 429)) return answers
  }
  throw new Error('the limit was never reached')
}

describe('the examples of the OpenAPI document', () => {
  it('are what the service answers', () => {
    if (RECORD_EXAMPLES) writeExamples(recorded)
    expect(steady(committedExamples())).toEqual(steady(recorded))
  })
})

function withAmount(body: StockRequest['body'], amount: string): StockRequest['body'] {
  const price = { ...body.paymentRequirements, amount }
  return {
    ...body,
    paymentPayload: { ...body.paymentPayload, accepted: price },
    paymentRequirements: price,
  }
}
