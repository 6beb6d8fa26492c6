import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Stack, startStack, usdc } from '../../support/stack.ts'
import { reach } from '../../support/stock/stock-client.ts'
import { type StockRequest, stockRequest } from '../../support/stock/stock-request.ts'

/* Requests of x402 version 1, and of no version: "The facilitator interface is x402 version 2". */

const opened = new AsyncDisposableStack()
let stack: Stack
let body: StockRequest['body']

beforeAll(async () => {
  stack = opened.use(await startStack({ closeEveryMs: 'on-send', tls: true }))
  reach(stack.localnet)
  body = (await stockRequest(stack.localnet)).body
})
afterAll(() => opened.disposeAsync())

/** As servers of version 1 send it: scheme and network in the payload, no `accepted`, another name of the amount. */
const firstVersion = (network: string) => ({
  x402Version: 1,
  paymentPayload: { x402Version: 1, scheme: 'exact', network, payload: { transaction: 'AAAA' } },
  paymentRequirements: {
    scheme: 'exact',
    network,
    maxAmountRequired: '100000',
    resource: 'https://seller.example/weather',
    description: '',
    mimeType: 'application/json',
    payTo: `G${'A'.repeat(55)}`,
    maxTimeoutSeconds: 60,
    asset: usdc,
  },
})

const without = (name: 'x402Version', from: object) => ({ ...from, [name]: undefined })

interface Row {
  readonly when: string
  readonly sent: () => object
  readonly says: string
  readonly network: string
}

describe.each<Row>([
  {
    when: 'a body of version 1',
    sent: () => firstVersion('stellar:testnet'),
    says: 'x402Version is 1, expected 2',
    network: 'stellar:testnet',
  },
  {
    when: 'a body of version 1 for a network of its naming',
    sent: () => firstVersion('base-sepolia'),
    says: 'x402Version is 1, expected 2',
    network: 'base-sepolia',
  },
  {
    when: 'a body of version 1 with the payment header that its first release sent',
    sent: () => ({ x402Version: 1, paymentHeader: 'eyJ9', paymentRequirements: {} }),
    says: 'x402Version is 1, expected 2',
    network: '',
  },
  {
    when: 'a body of version 1 with a payload of version 2',
    sent: () => ({ ...body, x402Version: 1 }),
    says: 'x402Version is 1, expected 2',
    network: 'stellar:testnet',
  },
  {
    when: 'a body of version 2 with a payload of version 1',
    sent: () => ({ ...firstVersion('stellar:testnet'), x402Version: 2 }),
    says: 'paymentPayload.x402Version is 1, expected 2',
    network: 'stellar:testnet',
  },
  {
    when: 'a payment without a version',
    sent: () => without('x402Version', body),
    says: 'x402Version is missing, expected 2',
    network: 'stellar:testnet',
  },
  {
    when: 'a payment whose payload has no version',
    sent: () => ({ ...body, paymentPayload: without('x402Version', body.paymentPayload) }),
    says: 'paymentPayload.x402Version is missing, expected 2',
    network: 'stellar:testnet',
  },
])('$when', ({ sent, says, network }) => {
  it('is refused with invalid_x402_version by /verify and /settle', async () => {
    const verified = await stack.post('/verify', sent())
    expect(verified.status).toBe(200)
    expect(verified.body).toEqual({
      isValid: false,
      invalidReason: 'invalid_x402_version',
      invalidMessage: says,
    })
    const settled = await stack.post('/settle', sent())
    expect(settled.status).toBe(200)
    expect(settled.body).toEqual({
      success: false,
      errorReason: 'invalid_x402_version',
      errorMessage: says,
      transaction: '',
      network,
    })
  })
})

it('counts them with the reason, and without a network that is not served', async () => {
  await stack.post('/verify', firstVersion('base-sepolia'))
  const { text } = await stack.metrics.expose()
  expect(text).toMatch(
    /^svc_verifications_total\{network="",outcome="invalid",reason="invalid_x402_version"\} [1-9]/m,
  )
  expect(text).not.toContain('base-sepolia')
})

it('leaves a body without a payment to the check of its shape', async () => {
  for (const sent of [{}, { x402Version: 2 }, { paymentPayload: {} }, { x402Version: '1' }]) {
    expect((await stack.post('/verify', sent)).status).toBe(400)
  }
})
