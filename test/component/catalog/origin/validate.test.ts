import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { exposeValidate } from '../../../../src/catalog/origin/validate-route.ts'
import { openValidator, type Validator } from '../../../../src/catalog/validation/open-validator.ts'
import { type LocalnetServer, startLocalnetServer } from '../../../../src/localnet/server/server.ts'
import { systemClock } from '../../../../src/platform/core/time/clock.ts'
import { createHttpServer, type HttpServer } from '../../../../src/platform/http/server/server.ts'
import { createLogger } from '../../../../src/platform/telemetry/logs/logger.ts'
import { rpcClients } from '../../../../src/stellar/rpc/rpc-client.ts'
import { openWallet } from '../../../support/payments.ts'
import { address, bazaarOf, network, optionTo, uptoOptionTo } from '../seed-listings.ts'
import {
  answers,
  asks,
  type Origin,
  openOrigin,
  openWorld,
  requiredBy,
  type World,
} from './origin-world.ts'

describe('POST /discovery/validate', () => {
  let localnet: LocalnetServer
  let world: World
  let origin: Origin
  let payTo: string
  const servers: HttpServer[] = []
  beforeAll(async () => {
    localnet = await startLocalnetServer({ closeEveryMs: 'manual' })
    world = await openWorld()
    origin = await openOrigin(answers(500))
    payTo = (await openWallet(localnet, 1n)).address
  })
  afterAll(async () => {
    for (const server of servers) await server[Symbol.asyncDispose]()
    await origin[Symbol.asyncDispose]()
    await world[Symbol.asyncDispose]()
    await localnet.close()
  })

  /** A server with limits of its own. */
  const serve = async (trustedProxyHops = 0, validator: Validator = world.validator) => {
    const server = createHttpServer({ logger: createLogger({ level: 'silent' }) })
    servers.push(server)
    const [rpc] = rpcClients([localnet.httpUrl], { allowHttp: true })
    if (!rpc) throw new Error('no client')
    exposeValidate(server.app, {
      ...world,
      validator,
      rpcs: new Map([[network, rpc.client]]),
      clock: systemClock,
      trustedProxyHops,
    })
    const { url } = await server.listen({ host: '127.0.0.1', port: 0 })
    return async (body: unknown, headers: Record<string, string> = {}) => {
      const response = await fetch(`${url}/discovery/validate`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      })
      // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever came over the wire
      const answer: any = await response.json()
      return { status: response.status, headers: response.headers, body: answer }
    }
  }
  const resource = () => `${origin.url}/weather`

  test('says what would be listed, and writes nothing', async () => {
    const accepts = [optionTo(payTo), uptoOptionTo(payTo)]
    origin.answer = asks(requiredBy(resource(), payTo, { accepts }))
    const validate = await serve()
    const { status, body } = await validate({ url: `${resource()}?city=Bern` })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      url: `${resource()}?city=Bern`,
      outcome: 'listable',
      listing: { resource: resource(), kind: 'http', method: 'GET', accepts },
    })
    expect(body.checks.map(({ name, ok }: { name: string; ok: boolean }) => [name, ok])).toEqual(
      [
        'url',
        'answer',
        'payment_required',
        'requirements',
        'payee',
        'bazaar',
        'declaration',
        'resource',
        'receivable',
      ].map((name) => [name, true]),
    )
    expect(origin.seen.at(-1)?.url).toBe('/weather?city=Bern')
    expect(await world.store.db.selectFrom('listings').selectAll().execute()).toEqual([])
  })

  test('finds the resource behind a route template, with another method', async () => {
    const { info, schema } = bazaarOf('POST')
    const bazaar = { info, schema, routeTemplate: '/weather/:city' }
    const url = `${origin.url}/weather/bern`
    origin.answer = asks(requiredBy(url, payTo, { extensions: { bazaar } }))
    const validate = await serve()
    expect((await validate({ url, method: 'POST' })).body).toMatchObject({
      outcome: 'listable',
      listing: { resource: `${origin.url}/weather/:city`, method: 'POST' },
    })
  })

  test('says how to name another method, unless the request names one', async () => {
    origin.answer = answers(404)
    const validate = await serve()
    const url = resource()
    const free = `GET ${url} answered HTTP 404, expected 402.`
    const reasonOf = ({ body }: Awaited<ReturnType<typeof validate>>) => body.checks.at(-1)?.reason
    expect(reasonOf(await validate({ url }))).toBe(
      `${free} For a resource with another method, send method beside url.`,
    )
    expect(reasonOf(await validate({ url, method: 'GET' }))).toBe(free)
  })

  test.each<[string, string, string, (url: string) => Origin['answer']]>([
    ['answer', 'origin_unreachable', 'answers HTTP 503', () => answers(503)],
    ['payment_required', 'origin_not_payment_required', 'is free', () => answers(200)],
    [
      'requirements',
      'origin_requirements_unreadable',
      'says nothing of a price',
      () => answers(402),
    ],
    [
      'payee',
      'origin_names_another_payee',
      'sells on another network',
      (url) =>
        asks(requiredBy(url, payTo, { accepts: [{ ...optionTo(payTo), network: 'eip155:1' }] })),
    ],
    [
      'bazaar',
      'origin_without_bazaar',
      'declares no extension',
      (url) => asks(requiredBy(url, payTo, { extensions: {} })),
    ],
    [
      'declaration',
      'bazaar_extension_malformed',
      'declares nonsense',
      (url) => asks(requiredBy(url, payTo, { extensions: { bazaar: 7 } })),
    ],
    [
      'resource',
      'origin_changed_resource',
      'declares another method',
      (url) => asks(requiredBy(url, payTo, { extensions: { bazaar: bazaarOf('POST') } })),
    ],
    [
      'receivable',
      'payee_cannot_receive',
      'pays an account that does not exist',
      (url) => asks(requiredBy(url, address())),
    ],
  ])('fails the check %s with %s for a resource that %s', async (name, code, _, answerOf) => {
    origin.answer = answerOf(resource())
    const validate = await serve()
    const { body } = await validate({ url: resource() })
    expect(body).toMatchObject({ outcome: 'refused' })
    expect(body.listing).toBeUndefined()
    expect(body.checks.at(-1)).toEqual({
      name,
      ok: false,
      code,
      reason: expect.stringMatching(/^[^\n]+\.$/),
    })
  })

  test.each([
    ['http://10.0.0.1/', 'bazaar_resource_unsafe'],
    ['http://169.254.169.254/latest/meta-data/', 'bazaar_resource_unsafe'],
    ['http://user:secret@seller.example/', 'bazaar_resource_unsafe'],
    ['http://postgres/', 'bazaar_resource_unsafe'],
    ['http://seller.example:25/', 'bazaar_resource_unsafe'],
    ['file:///etc/passwd', 'bazaar_resource_invalid'],
    ['weather', 'bazaar_resource_invalid'],
  ])('refuses the URL %s with %s', async (url, code) => {
    const validate = await serve()
    const { body } = await validate({ url })
    expect(body).toMatchObject({ outcome: 'refused', checks: [{ name: 'url', ok: false, code }] })
  })

  test.each([{}, { url: '' }, { url: 7 }, { url: 'https://a.example', method: 'TRACE' }, []])(
    'refuses the body %j as a bad request',
    async (body) => {
      const validate = await serve()
      expect(await validate(body)).toMatchObject({
        status: 400,
        body: { error: { code: 'bad_request' } },
      })
    },
  )

  test('answers ten requests of an address in a minute', async () => {
    const validate = await serve()
    const statuses: number[] = []
    for (let i = 0; i < 22; i += 1) statuses.push((await validate({ url: 'weather' })).status)
    // Two windows of a minute, if the test meets the end of one.
    expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(20)
    expect(statuses.slice(0, 10)).toEqual(Array(10).fill(200))
    const refused = statuses.indexOf(429)
    expect(refused).toBeGreaterThanOrEqual(10)
  })

  test('answers 120 requests in a minute in total', async () => {
    const validate = await serve(1)
    const from = (n: number) => ({ 'x-forwarded-for': `198.51.${n >> 8}.${n & 255}` })
    const all = await Promise.all(
      Array.from({ length: 242 }, (_, n) => validate({ url: 'weather' }, from(n))),
    )
    const limited = all.filter(({ status }) => status === 429)
    expect(limited.length).toBeGreaterThan(0)
    expect(all.length - limited.length).toBeGreaterThanOrEqual(120)
    expect(limited[0]).toMatchObject({ body: { error: { code: 'rate_limited', retryable: true } } })
    expect(Number(limited[0]?.headers.get('retry-after'))).toBeGreaterThan(0)
  })

  test('leaves what is left for all to others, however many requests one address sends', async () => {
    const validate = await serve(1)
    const one = { 'x-forwarded-for': '198.51.100.1' }
    for (let n = 0; n < 250; n += 1) await validate({ url: 'weather' }, one)
    const { status } = await validate({ url: 'weather' }, { 'x-forwarded-for': '198.51.100.2' })
    expect(status).toBe(200)
  })

  test('occupies one thread, so that what was paid for is validated meanwhile', async () => {
    const bazaar = bazaarOf('GET')
    const slow = {
      info: { ...bazaar.info, slow: `${'a'.repeat(50)}!` },
      schema: { ...bazaar.schema, properties: { slow: { pattern: '^(a+)+$' } } },
    }
    origin.answer = asks(requiredBy(resource(), payTo, { extensions: { bazaar: slow } }))
    await using validator = openValidator({
      clock: systemClock,
      allowLoopback: true,
      timeLimitMs: 60_000,
    })
    const validate = await serve(0, validator)
    const asked = origin.seen.length
    const answered = [validate({ url: resource() }), validate({ url: resource() })]
    await vi.waitFor(() => expect(origin.seen.length).toBe(asked + 2), { timeout: 120_000 })
    // Many, so that the slow ones have begun.
    for (let n = 0; n < 300; n += 1) {
      const first = await Promise.race([validator.validate({}, {}), ...answered])
      expect(first).toEqual({ ok: true })
    }
    await validator[Symbol.asyncDispose]()
    await Promise.all(answered)
  })
})
