/** What the stock Express middleware has settled when the handler of a metered route fails: `docs/sellers.md` says so. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { FacilitatorClient } from '@x402/core/server'
import { x402ResourceServer } from '@x402/core/server'
import type { PaymentRequirements } from '@x402/core/types'
import { paymentMiddleware } from '@x402/express'
import express, { type Response } from 'express'
import { expect, test } from 'vitest'
import { chargeUpTo, registerUptoStellarScheme } from '../../../../src/package/upto-server.ts'
import { extra, offer } from './offer.ts'

const network = 'stellar:testnet'
const CEILING = '1000000'

/** Settles whatever it is asked for. */
function recordingFacilitator() {
  const settled: string[] = []
  const client: FacilitatorClient = {
    getSupported: async () => ({
      kinds: [{ x402Version: 2, scheme: 'upto', network, extra }],
      extensions: [],
      signers: {},
    }),
    verify: async () => ({ isValid: true, payer: 'G' }),
    settle: async (_payload, { amount }) => {
      settled.push(amount)
      return { success: true, transaction: 'hash', network, payer: 'G' }
    },
  }
  return { settled, client }
}

const paymentFor = (accepted: PaymentRequirements | undefined): string =>
  Buffer.from(JSON.stringify({ x402Version: 2, accepted, payload: {} })).toString('base64')

test.each([
  {
    fails: 'throws, also after chargeUpTo',
    handle: (response: Response) => {
      chargeUpTo(response, 5n)
      throw new Error('no answer')
    },
    settles: [],
  },
  {
    fails: 'sets the status',
    handle: (response: Response) => response.status(500).end(),
    settles: [],
  },
  {
    fails: 'writes the status with writeHead',
    handle: (response: Response) => response.writeHead(500).end(),
    settles: [CEILING],
  },
])('a handler that $fails has $settles settled', async ({ handle, settles }) => {
  const { settled, client } = recordingFacilitator()
  const server = registerUptoStellarScheme(new x402ResourceServer(client), network)
  const accepts = { scheme: 'upto', network, payTo: offer().payTo, price: '$0.1' } as const
  const app = express()
  // Its own handler of errors prints them.
  app.set('env', 'test')
  app.use(paymentMiddleware({ 'GET /story': { accepts } }, server))
  app.get('/story', (_request, response) => {
    handle(response)
  })
  const listening = createServer(app).listen(0, '127.0.0.1')
  await once(listening, 'listening')
  try {
    const url = `http://127.0.0.1:${(listening.address() as AddressInfo).port}/story`
    const unpaid = await fetch(url)
    const required = Buffer.from(unpaid.headers.get('payment-required') ?? '', 'base64')
    const { accepts: offered } = JSON.parse(required.toString())
    const paid = await fetch(url, { headers: { 'payment-signature': paymentFor(offered[0]) } })
    expect(paid.status).toBe(500)
    expect(settled).toEqual(settles)
  } finally {
    listening.close()
  }
})
