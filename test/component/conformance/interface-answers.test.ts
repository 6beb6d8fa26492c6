import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Answer, type Stack, startStack, usdc } from '../../support/stack.ts'
import { reach } from '../../support/stock/stock-client.ts'
import { type StockRequest, stockRequest } from '../../support/stock/stock-request.ts'

/*
 * The rows of the interface that say what /supported, /verify and /settle answer. Each case quotes
 * the row it holds us to.
 */

const hash = expect.stringMatching(/^[0-9a-f]{64}$/)
const sentence = expect.stringMatching(/\S/)
const json = 'application/json; charset=utf-8'

const opened = new AsyncDisposableStack()
let stack: Stack

beforeAll(async () => {
  stack = opened.use(await startStack({ closeEveryMs: 'on-send', tls: true }))
  reach(stack.localnet)
})
afterAll(() => opened.disposeAsync())

const request = () => stockRequest(stack.localnet)

describe('GET /supported', () => {
  it('"lists payment kinds, extensions and signers"', async () => {
    const { status, headers, body } = await stack.get('/supported')
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe(json)
    expect(body).toEqual({
      kinds: [
        {
          x402Version: 2,
          scheme: 'exact',
          network: 'stellar:testnet',
          extra: { areFeesSponsored: true },
        },
      ],
      extensions: ['payment-identifier'],
      signers: { 'stellar:*': expect.any(Array) },
    })
  })

  it('names the sponsor first, then "channel accounts [...] the source account of settlement transactions"', async () => {
    const { body } = await stack.get('/supported')
    const [sponsor, ...channels] = body.signers['stellar:*']
    expect(sponsor).toBe(stack.sponsor.address)
    expect(channels).toHaveLength(3)
    expect(new Set(channels).size).toBe(3)
  })
})

describe('POST /verify', () => {
  it('"JSON body x402Version, paymentPayload, paymentRequirements" answers "HTTP 200 with a verification result"', async () => {
    const { payer, body } = await request()
    const answer = await stack.post('/verify', body)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe(json)
    expect(answer.body).toEqual({ isValid: true, payer: payer.address })
  })

  it('"/verify rejection (HTTP 200): isValid = false, invalidReason (stable code), invalidMessage (never empty)"', async () => {
    const { payer, body } = await request()
    const answer = await stack.post('/verify', doubled(body))
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({
      isValid: false,
      invalidReason: 'invalid_exact_stellar_payload_wrong_amount',
      invalidMessage: sentence,
      payer: payer.address,
    })
  })
})

describe('POST /settle', () => {
  it('"same body as /verify" answers "HTTP 200 with a settlement result"', async () => {
    const { payer, body } = await request()
    const answer = await stack.post('/settle', body)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe(json)
    expect(answer.body).toEqual({
      success: true,
      transaction: hash,
      network: 'stellar:testnet',
      payer: payer.address,
    })
  })

  it('"/settle rejection (HTTP 200): success = false, errorReason (stable code), errorMessage (never empty)"', async () => {
    const { payer, body } = await request()
    const answer = await stack.post('/settle', doubled(body))
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({
      success: false,
      errorReason: 'invalid_exact_stellar_payload_wrong_amount',
      errorMessage: sentence,
      transaction: '',
      network: 'stellar:testnet',
      payer: payer.address,
    })
  })

  it('"a settlement record is keyed by the payer\'s authorization": another body over the same one is refused', async () => {
    const { body } = await request()
    expect((await stack.post('/settle', body)).body.success).toBe(true)
    const relabelled = { ...body.paymentPayload, resource: { url: 'http://127.0.0.1/other' } }
    const answer = await stack.post('/settle', { ...body, paymentPayload: relabelled })
    expect(answer.body).toMatchObject({
      success: false,
      errorReason: 'settle_exact_stellar_idempotency_conflict',
    })
  })

  it('"durable state lives in a shared durable store": a repeat after a restart gets the stored answer', async () => {
    const { body } = await request()
    const first = await stack.post('/settle', body)
    expect(first.body.success).toBe(true)
    await stack.restart()
    expect((await stack.post('/settle', body)).body).toEqual(first.body)
  })
})

interface Row {
  readonly row: string
  readonly code: string
  readonly change: (body: StockRequest['body']) => object
}

describe.each<Row>([
  {
    row: '"invalid_network: network not served"',
    code: 'invalid_network',
    change: (body) => onNetwork(body, 'stellar:pubnet'),
  },
  {
    row: '"unsupported_scheme: scheme not served"',
    code: 'unsupported_scheme',
    change: (body) => withPrice(body, { scheme: 'upto' }),
  },
  {
    row: '"x402Version is 2 in the request body"',
    code: 'invalid_x402_version',
    change: (body) => ({
      ...body,
      x402Version: 1,
      paymentPayload: { ...body.paymentPayload, x402Version: 1 },
    }),
  },
  {
    row: '"Amounts: strings of integers in the asset\'s base units [...] no floating point"',
    code: 'invalid_exact_stellar_requirements_invalid_amount',
    change: (body) => withPrice(body, { amount: '100000.5' }),
  },
  {
    row: '"Addresses: strkeys: G... accounts, C... contracts, M... muxed accounts"',
    code: 'invalid_exact_stellar_requirements_invalid_pay_to',
    change: (body) => withPrice(body, { payTo: `G${'A'.repeat(55)}` }),
  },
  {
    row: '"verification refuses any payment in which a facilitator account is [a party]"',
    code: 'invalid_exact_stellar_requirements_invalid_pay_to',
    change: (body) => withPrice(body, { payTo: stack.sponsor.address }),
  },
])('$row', ({ code, change }) => {
  it(`answers HTTP 200 with ${code} to /verify and /settle`, async () => {
    const body = change((await request()).body)
    const verdict = await stack.post('/verify', body)
    expect(verdict.status).toBe(200)
    expect(verdict.body).toMatchObject({
      isValid: false,
      invalidReason: code,
      invalidMessage: sentence,
    })
    const settlement = await stack.post('/settle', body)
    expect(settlement.status).toBe(200)
    expect(settlement.body).toMatchObject({
      success: false,
      errorReason: code,
      errorMessage: sentence,
      transaction: '',
      network: expect.any(String),
    })
  })
})

interface TransportRow {
  readonly row: string
  readonly status: number
  readonly reason: string
  readonly code: string
  readonly send: (url: string) => Promise<Response>
}

const post = (url: string, body: string, type = 'application/json') =>
  fetch(url, { method: 'POST', headers: { 'content-type': type }, body })

describe.each<TransportRow>([
  {
    row: '"malformed body": no JSON',
    status: 400,
    reason: 'invalid_payload',
    code: 'bad_request',
    send: (url) => post(url, '{'),
  },
  {
    row: '"malformed body": members missing',
    status: 400,
    reason: 'invalid_payload',
    code: 'bad_request',
    send: (url) => post(url, '{"x402Version":2}'),
  },
  {
    row: '"oversized body"',
    status: 413,
    reason: 'payload_too_large',
    code: 'payload_too_large',
    send: (url) => post(url, JSON.stringify({ filler: 'x'.repeat(140_000) })),
  },
  {
    row: '"wrong content type"',
    status: 415,
    reason: 'unsupported_media_type',
    code: 'unsupported_media_type',
    send: (url) => post(url, '{}', 'text/plain'),
  },
  {
    row: '"every other failure is an HTTP error with the error body": a method the path does not have',
    status: 405,
    reason: 'invalid_payload',
    code: 'method_not_allowed',
    send: (url) => fetch(url),
  },
])('$row, "transport errors keep the x402 fields as well"', ({ status, reason, code, send }) => {
  const error = { code, reason: sentence, retryable: false }

  it(`answers ${status} to /verify with invalidReason ${reason} and the error body`, async () => {
    const response = await send(`${stack.baseUrl}/verify`)
    expect(response.status).toBe(status)
    expect(await response.json()).toEqual({
      isValid: false,
      invalidReason: reason,
      invalidMessage: sentence,
      error,
    })
  })

  it(`answers ${status} to /settle with errorReason ${reason} and the error body`, async () => {
    const response = await send(`${stack.baseUrl}/settle`)
    expect(response.status).toBe(status)
    expect(await response.json()).toEqual({
      success: false,
      errorReason: reason,
      errorMessage: sentence,
      transaction: '',
      network: '',
      error,
    })
  })
})

it('"error.code, error.reason, error.retryable": a path that does not exist', async () => {
  const answer: Answer = await stack.get('/settlement')
  expect(answer.status).toBe(404)
  expect(answer.body).toEqual({ error: { code: 'not_found', reason: sentence, retryable: false } })
})

/** Another price than the payer signed, agreed on by both sides of the request. */
function withPrice(body: StockRequest['body'], changes: object): StockRequest['body'] {
  const price = { ...body.paymentRequirements, ...changes }
  return {
    ...body,
    paymentPayload: { ...body.paymentPayload, accepted: price },
    paymentRequirements: price,
  }
}

const doubled = (body: StockRequest['body']) => withPrice(body, { amount: '200000' })
const onNetwork = (body: StockRequest['body'], network: string) =>
  withPrice(body, { network, asset: usdc })
