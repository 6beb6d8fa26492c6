import { HTTPFacilitatorClient } from '@x402/core/server'
import { SettleError, VerifyError } from '@x402/core/types'
import { HTTPFacilitatorClient as NextFacilitatorClient } from '@x402/core-next/server'
import {
  SettleError as NextSettleError,
  VerifyError as NextVerifyError,
} from '@x402/core-next/types'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { acceptedKeys } from '../../support/api-keys.ts'
import { type Stack, startStack } from '../../support/stack.ts'
import { reach } from '../../support/stock/stock-client.ts'
import { stockRequest } from '../../support/stock/stock-request.ts'

/* The interface's section on authentication, on a network that requires an API key. */

const KEY = 'svc_test-key'
const sentence = expect.stringMatching(/\S/)
const error = { code: 'unauthorized', reason: sentence, retryable: false }

const opened = new AsyncDisposableStack()
let stack: Stack
let good: Awaited<ReturnType<typeof stockRequest>>['body']

beforeAll(async () => {
  stack = opened.use(
    await startStack({
      closeEveryMs: 'on-send',
      tls: true,
      network: { requireApiKey: true },
      keys: acceptedKeys(KEY),
    }),
  )
  reach(stack.localnet)
  good = (await stockRequest(stack.localnet)).body
})
afterAll(() => opened.disposeAsync())

const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(stack.baseUrl + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })

const callers = [
  { who: 'a caller without a key', headers: {} },
  { who: 'an unknown X-API-Key', headers: { 'x-api-key': 'svc_unknown' } },
  { who: 'an unknown bearer', headers: { authorization: 'Bearer svc_unknown' } },
]

describe.each(callers)('"a missing or unknown key answers HTTP 401": $who', ({ headers }) => {
  it('gets a refusal of /verify with the x402 members', async () => {
    const response = await post('/verify', good, headers)
    expect(response.status).toBe(401)
    expect(await response.json()).toEqual({
      isValid: false,
      invalidReason: 'unauthorized',
      invalidMessage: sentence,
      error,
    })
  })

  it('gets a refusal of /settle with the x402 members', async () => {
    const response = await post('/settle', good, headers)
    expect(response.status).toBe(401)
    expect(await response.json()).toEqual({
      success: false,
      errorReason: 'unauthorized',
      errorMessage: sentence,
      transaction: '',
      network: 'stellar:testnet',
      error,
    })
  })
})

it.each([
  { header: 'Authorization: Bearer <API_KEY>', headers: { authorization: `Bearer ${KEY}` } },
  { header: 'X-API-Key: <API_KEY>', headers: { 'x-api-key': KEY } },
])('"a key is sent as either header": $header', async ({ headers }) => {
  const verdict = await post('/verify', good, headers)
  expect(await verdict.json()).toMatchObject({ isValid: true })
})

it('settles for a caller with a key', async () => {
  const { body } = await stockRequest(stack.localnet)
  const answer = await post('/settle', body, { 'x-api-key': KEY })
  expect(await answer.json()).toMatchObject({ success: true })
})

it('"it then applies to /verify and /settle": /supported needs none', async () => {
  expect((await stack.get('/supported')).status).toBe(200)
})

describe('a refusal that is decided before the key is checked needs none', () => {
  it.each([
    { code: 'invalid_network', change: { network: 'stellar:pubnet' } },
    { code: 'unsupported_scheme', change: { scheme: 'upto' } },
  ])('$code', async ({ code, change }) => {
    const body = { ...good, paymentRequirements: { ...good.paymentRequirements, ...change } }
    const response = await post('/verify', body)
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({ isValid: false, invalidReason: code })
  })

  it('invalid_payload, when the body is none', async () => {
    const response = await post('/settle', { x402Version: 2 })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ errorReason: 'invalid_payload' })
  })
})

describe.each([
  { release: '2.9.0', Client: HTTPFacilitatorClient, errors: { VerifyError, SettleError } },
  {
    release: '2.27.0',
    Client: NextFacilitatorClient,
    errors: { VerifyError: NextVerifyError, SettleError: NextSettleError },
  },
] as const)('HTTPFacilitatorClient of @x402/core $release', ({ Client, errors }) => {
  it('raises VerifyError and SettleError without a key', async () => {
    const client = new Client({ url: stack.baseUrl })
    const payload = good.paymentPayload as Parameters<typeof client.verify>[0]
    const refused = { statusCode: 401 }

    const notVerified = await client
      .verify(payload, good.paymentRequirements)
      .catch((thrown: unknown) => thrown)
    expect(notVerified).toBeInstanceOf(errors.VerifyError)
    expect(notVerified).toMatchObject({ ...refused, invalidReason: 'unauthorized' })

    const notSettled = await client
      .settle(payload, good.paymentRequirements)
      .catch((thrown: unknown) => thrown)
    expect(notSettled).toBeInstanceOf(errors.SettleError)
    expect(notSettled).toMatchObject({ ...refused, errorReason: 'unauthorized' })
  })
})
