import type { RequestListener } from 'node:http'
import type { FacilitatorClient } from '@x402/core/server'
import { paymentMiddleware, x402ResourceServer } from '@x402/express'
import { bazaarResourceServerExtension, declareDiscoveryExtension } from '@x402/extensions/bazaar'
import { ExactStellarScheme } from '@x402/stellar/exact/server'
import express from 'express'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type ValidationDeps,
  validateResource,
} from '../../../../src/catalog/origin/validate-resource.ts'
import { address, network } from '../seed-listings.ts'
import { answers, openOrigin, openWorld, untilOutcome, type World } from './origin-world.ts'

/** A paid API of the published packages; no call of these tests is paid. */
function stockApi(payTo: string): RequestListener {
  const facilitator: FacilitatorClient = {
    getSupported: async () => ({
      kinds: [{ x402Version: 2, scheme: 'exact', network, extra: { areFeesSponsored: true } }],
      extensions: ['bazaar'],
      signers: {},
    }),
    verify: () => Promise.reject(new Error('not paid')),
    settle: () => Promise.reject(new Error('not paid')),
  }
  const server = new x402ResourceServer(facilitator)
    .register(network, new ExactStellarScheme())
    .registerExtension(bazaarResourceServerExtension)
  const price = { scheme: 'exact', network, price: '$0.01', payTo, maxTimeoutSeconds: 60 } as const
  const app = express()
  app.use(
    paymentMiddleware(
      {
        'GET /weather': {
          accepts: price,
          description: 'Weather of a city',
          mimeType: 'application/json',
          extensions: declareDiscoveryExtension({
            input: { city: 'Bern' },
            inputSchema: { properties: { city: { type: 'string' } }, required: ['city'] },
          }),
        },
        'POST /summaries': {
          accepts: price,
          description: 'Summary of a text',
          mimeType: 'application/json',
          extensions: declareDiscoveryExtension({
            bodyType: 'json',
            input: { text: 'Long text' },
            inputSchema: { properties: { text: { type: 'string' } }, required: ['text'] },
          }),
        },
        'GET /cities/:city': {
          accepts: price,
          description: 'Facts of a city',
          mimeType: 'application/json',
          extensions: declareDiscoveryExtension({
            pathParamsSchema: { properties: { city: { type: 'string' } }, required: ['city'] },
          }),
        },
      },
      server,
    ),
  )
  return app
}

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world[Symbol.asyncDispose]())

test.each([
  { method: 'GET', path: '/weather', declared: '/weather' },
  { method: 'POST', path: '/summaries', declared: '/summaries' },
  { method: 'GET', path: '/cities/bern', declared: '/cities/:city' },
])(
  '$method $path of a stock server is listable, and its listing is published',
  async ({ method, path, declared }) => {
    await using origin = await openOrigin(answers(500))
    const payTo = address()
    origin.answer = stockApi(payTo)
    const rpcs: ValidationDeps['rpcs'] = new Map([
      [network, { ledgerEntries: () => Promise.reject(new Error('down')) }],
    ])
    const request = { url: origin.url + path, method }
    const validation = await validateResource({ ...world, rpcs }, request)
    expect(validation.checks.filter(({ ok }) => !ok)).toEqual([])
    expect(validation).toMatchObject({
      outcome: 'listable',
      listing: { resource: origin.url + declared, method, accepts: [{ payTo, amount: '100000' }] },
    })

    const content = validation.listing
    if (!content) throw new Error('not listable')
    const { id } = await world.seed({ owner: payTo, content })
    await using _checks = world.start()
    expect(await untilOutcome(world, id, 'origin_verified')).toMatchObject({
      state: 'published',
      trust: 'origin_verified',
      content,
    })
  },
)
