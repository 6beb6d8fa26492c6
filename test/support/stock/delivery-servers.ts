/** Stock servers of each framework whose answers are delivered once, for a folder of sellers: programs of the stock packages. */

/** What the three have in common: the offer, the goods, and what is free. */
const shared = `
import { HTTPFacilitatorClient } from '@x402/core/server'
import { declarePaymentIdentifierExtension, PAYMENT_IDENTIFIER } from '@x402/extensions/payment-identifier'
import { ExactStellarScheme } from '@x402/stellar/exact/server'
import { PostgresDeliveryStore } from 'stellar-x402/delivery'

const { default: pg } = await import(process.env.PG)
const { FACILITATOR_URL, PAY_TO, DATABASE_URL } = process.env
const store = new PostgresDeliveryStore(new pg.Pool({ connectionString: DATABASE_URL }))
await store.createTable()
/** A repeat waits for the lease of a process that dies. */
const claimMs = process.env.DIES === 'yes' ? 3_000 : 30_000
export const options = { store, scope: 'shop', claimMs, onError: (error) => console.error('store', error) }

const scheme = Object.assign(new ExactStellarScheme(), {
  defaultAssetTransferMethod: 'default',
  paymentFlows: { default: { supported: ['authorization'], default: 'authorization' } },
})
const facilitator = new HTTPFacilitatorClient({ url: FACILITATOR_URL })
const settle = facilitator.settle.bind(facilitator)
facilitator.settle = async (...payment) => {
  const settled = await settle(...payment)
  // As a process that dies after the settlement, before it knows of it.
  if (isDying) {
    console.log('settled before death')
    process.kill(process.pid, 'SIGKILL')
    await new Promise(() => {})
  }
  return settled
}
let isDying = false
/** Of the package of the framework, which may come with another version of the core. */
export const serverOf = (ResourceServer) => new ResourceServer(facilitator).register('stellar:testnet', scheme)
export const route = {
  accepts: { scheme: 'exact', network: 'stellar:testnet', price: '$0.01', payTo: PAY_TO, maxTimeoutSeconds: 120 },
  description: 'Goods',
  extensions: { [PAYMENT_IDENTIFIER]: declarePaymentIdentifierExtension() },
}

let runs = 0
let hasFailed = false
let release
const held = new Promise((resolve) => { release = resolve })

/** Serves a paid call: its status, and its body as a text or as parts of a stream. */
export async function serve(path, body) {
  runs += 1
  console.log('served ' + path)
  if (path.startsWith('/held')) await held
  if (path === '/dies') isDying = process.env.DIES === 'yes'
  if (path === '/fails' && !hasFailed) {
    hasFailed = true
    return { status: 500, body: 'failed' }
  }
  if (path === '/large') return { status: 200, body: 'x'.repeat(300_000) }
  return { status: 200, body: JSON.stringify({ path, body, of: process.pid, runs }) }
}
export const stream = async function* () {
  console.log('served /stream')
  yield 'first '
  await held
  yield 'second'
}
export const letGo = () => release()
export const started = ({ port }) => console.log('http://127.0.0.1:' + port)
`

const express = `
import { paymentMiddleware, x402ResourceServer } from '@x402/express'
import express from 'express'
import { deliverOnceExpress } from 'stellar-x402/delivery'
import { letGo, options, route, serve, serverOf, started, stream } from './shared.mjs'

const resources = serverOf(x402ResourceServer)
const app = express()
app.get('/let-go', (_request, response) => { letGo(); response.end() })
app.use(deliverOnceExpress({ ...options, resources }))
app.use(express.text())
app.use(paymentMiddleware({ '/*': route }, resources))
app.use(async (request, response) => {
  const { path } = request
  response.cookie('session', 'secret').set('x-goods', 'yes')
  if (path !== '/stream') {
    const { status, body } = await serve(path, request.body)
    return void response.status(status).type('json').send(body)
  }
  for await (const part of stream()) response.write(part)
  response.end()
})
const server = app.listen(0, '127.0.0.1', () => started(server.address()))
`

const hono = `
import { serve as listen } from '@hono/node-server'
import { paymentMiddleware, x402ResourceServer } from '@x402/hono'
import { Hono } from 'hono'
import { deliverOnceHono } from 'stellar-x402/delivery'
import { letGo, options, route, serve, serverOf, started, stream } from './shared.mjs'

const server = serverOf(x402ResourceServer)
const app = new Hono()
app.get('/let-go', (context) => { letGo(); return context.body(null) })
app.use(deliverOnceHono({ ...options, resources: server }))
app.use(paymentMiddleware({ '/*': route }, server))
app.all('*', async (context) => {
  context.header('set-cookie', 'session=secret')
  context.header('x-goods', 'yes')
  if (context.req.path === '/stream') return context.body(ReadableStream.from(stream()).pipeThrough(new TextEncoderStream()))
  const { status, body } = await serve(context.req.path, await context.req.text())
  return context.body(body, status, { 'content-type': 'application/json' })
})
listen({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, started)
`

/** The payment of docs/sellers.md, since npm has no stock package for Fastify. It settles before the answer is made. */
const fastify = `
import { Readable } from 'node:stream'
import { x402HTTPResourceServer, x402ResourceServer } from '@x402/core/server'
import Fastify from 'fastify'
import { deliverOnceFastify } from 'stellar-x402/delivery'
import { letGo, options, route, serve, serverOf, started, stream } from './shared.mjs'

const server = serverOf(x402ResourceServer)
const offer = new x402HTTPResourceServer(server, route)
await offer.initialize()
const app = Fastify()
app.get('/let-go', async () => { letGo(); return '' })
app.register(async (paid) => {
  paid.addHook('onRequest', deliverOnceFastify({ ...options, resources: server }))
  const payments = new WeakMap()
  paid.addHook('preHandler', async (request, reply) => {
    const header = (name = '') => request.headers[name.toLowerCase()]?.toString()
    const adapter = {
      getHeader: header,
      getMethod: () => request.method,
      getPath: () => request.url,
      getUrl: () => request.protocol + '://' + request.host + request.url,
      getAcceptHeader: () => header('accept') ?? '',
      getUserAgent: () => header('user-agent') ?? '',
    }
    const asked = { adapter, path: '/', method: request.method }
    const result = await offer.processHTTPRequest(asked)
    if (result.type === 'payment-verified') {
      return void payments.set(request, { ...result, transport: { request: asked } })
    }
    const { status, headers, body } = result.response
    return reply.code(status).headers(headers).send(body)
  })
  paid.addHook('onSend', async (request, reply, answer) => {
    const payment = payments.get(request)
    if (!payment || reply.statusCode >= 400) return answer
    payments.delete(request)
    const { paymentPayload, paymentRequirements, transport } = payment
    const responseBody = typeof answer === 'string' || Buffer.isBuffer(answer) ? Buffer.from(answer) : undefined
    const made = { ...transport, responseBody, responseHeaders: reply.getHeaders() }
    const settled = await offer.processSettlement(paymentPayload, paymentRequirements, undefined, made)
    reply.headers(settled.headers)
    if (settled.success) return answer
    reply.code(settled.response.status)
    return JSON.stringify(settled.response.body ?? {})
  })
  paid.all('*', async (request, reply) => {
    reply.header('set-cookie', 'session=secret').header('x-goods', 'yes').type('application/json')
    const path = request.url
    if (path === '/stream') return reply.send(Readable.from(stream()))
    const { status, body } = await serve(path, request.body)
    return reply.code(status).send(body)
  })
})
await app.listen({ port: 0, host: '127.0.0.1' })
started(app.server.address())
`

/** Each serves its goods on every path, and those of /held and the end of /stream once somebody asks for /let-go. */
export const deliveryServers: Readonly<Record<'express' | 'hono' | 'fastify', string>> = {
  express,
  hono,
  fastify,
}

export const sharedProgram = shared
