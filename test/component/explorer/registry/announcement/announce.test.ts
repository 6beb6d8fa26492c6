import { createServer } from 'node:http'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { exposeAnnounce } from '../../../../../src/explorer/registry/announcement/announce-route.ts'
import { registryFetchers } from '../../../../../src/explorer/registry/registry-fetchers.ts'
import { systemClock } from '../../../../../src/platform/core/time/clock.ts'
import {
  createHttpServer,
  type HttpServer,
} from '../../../../../src/platform/http/server/server.ts'
import { createLogger } from '../../../../../src/platform/telemetry/logs/logger.ts'
import { randomSigner } from '../../../../../src/stellar/accounts/signer.ts'
import { address } from '../../../catalog/seed-listings.ts'
import { network, openRegistryWorld, type RegistryWorld, supportedOf } from '../registry-world.ts'

describe('POST /announce', () => {
  const opened = new AsyncDisposableStack()
  let world: RegistryWorld
  beforeAll(async () => {
    world = opened.use(await openRegistryWorld())
  })
  afterAll(() => opened.disposeAsync())
  afterEach(async () => {
    await world.empty()
    await world.store.db.deleteFrom('rate_windows' as never).execute()
  })

  type Options = Partial<Parameters<typeof exposeAnnounce>[1]>
  /** A replica; each test's clients have addresses of their own, by `X-Forwarded-For`. */
  const serve = async (options: Options = {}) => {
    const server: HttpServer = opened.use(
      createHttpServer({ logger: createLogger({ level: 'silent' }) }),
    )
    exposeAnnounce(server.app, {
      db: world.store.db,
      fetchers: world.fetchers,
      allowLoopback: true,
      ownBaseUrls: [],
      clock: systemClock,
      trustedProxyHops: 1,
      ...options,
    })
    const { url } = await server.listen({ host: '127.0.0.1', port: 0 })
    return async (body: unknown, client = '203.0.113.1') => {
      const response = await fetch(`${url}/announce`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-forwarded-for': client },
        body: JSON.stringify(body),
      })
      // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever came over the wire
      const answer: any = await response.json()
      return { status: response.status, headers: response.headers, body: answer }
    }
  }
  /** With names of strangers that lead to these addresses. */
  const fetchersFor = (table: Record<string, readonly string[]>, allowLoopback = true) =>
    opened.use(
      registryFetchers({
        allowLoopback,
        resolve: async (host) =>
          (table[host] ?? []).map((found) => ({ address: found, family: 4 as const })),
      }),
    )
  const rows = () => world.store.db.selectFrom('explorer_facilitators').selectAll().execute()

  test('answers 200 with the facilitator as the registry has it, with the signers that it proves', async () => {
    const key = randomSigner()
    const claimed = address()
    const named = [key.address, claimed]
    const other = await world.openFacilitator(supportedOf(named, { name: 'Payer' }))
    other.keys = [key]
    const onChanged = vi.fn()
    const announce = await serve({ onChanged })
    const { status, body } = await announce({ baseUrl: `${other.baseUrl}/` })
    expect(status).toBe(200)
    expect(body).toEqual({
      facilitatorId: '127.0.0.1',
      displayName: 'Payer (127.0.0.1)',
      baseUrl: other.baseUrl,
      source: 'announced',
      verified: true,
      networks: [network],
      signers: [{ network, address: key.address }],
      claimedSigners: [{ network, address: claimed }],
      uptoContracts: [],
      lastSeenAt: expect.any(String),
      createdAt: expect.any(String),
    })
    expect(other.requests).toEqual(['/supported', '/supported/proofs'])
    expect(onChanged).toHaveBeenCalled()
  })

  test('answers the same facilitator again, and a configured one as it is: a stranger changes nothing of it', async () => {
    const signer = address()
    const other = await world.openFacilitator(supportedOf([signer], { name: 'Payer' }))
    const announce = await serve()
    {
      await using _registry = world.start({ configured: [other.baseUrl] })
      await world.untilSigners({ [signer]: '127.0.0.1' })
    }
    const before = await rows()
    const { status, body } = await announce({ baseUrl: other.baseUrl })
    expect(status).toBe(200)
    expect(body).toMatchObject({ source: 'configured', displayName: 'Payer', verified: true })
    expect(body.signers).toEqual([{ network, address: signer }])
    expect(await rows()).toEqual(before)
  })

  test('answers one that cannot prove its signers as claimed, not verified', async () => {
    const signer = address()
    const other = await world.openFacilitator(supportedOf([signer]))
    const announce = await serve()
    for (const _again of [1, 2]) {
      const { body } = await announce({ baseUrl: other.baseUrl })
      expect(body).toMatchObject({ verified: false, signers: [] })
      expect(body.claimedSigners).toEqual([{ network, address: signer }])
    }
  })

  test.each([
    ['no body', null, undefined],
    ['another member', { url: 'https://a.example' }, undefined],
    ['a text that is no URL', { baseUrl: 'a facilitator' }, 'a facilitator'],
    ['another protocol', { baseUrl: 'ftp://a.example' }, 'ftp://a.example'],
    ['a query', { baseUrl: 'https://a.example/?x=1' }, 'https://a.example/?x=1'],
    ['a password', { baseUrl: 'https://a:b@a.example' }, 'https://a:b@a.example'],
    ['a private name', { baseUrl: 'https://store.internal' }, 'https://store.internal'],
    ['a metadata address', { baseUrl: 'http://169.254.169.254' }, 'http://169.254.169.254'],
    ['an invisible character', { baseUrl: 'https://a\u202e.example' }, 'https://a\u202e.example'],
    [
      '300 characters and more',
      { baseUrl: `https://a.example/${'x'.repeat(300)}` },
      expect.any(String),
    ],
  ])('refuses %s with 400', async (_, sent, value) => {
    const announce = await serve()
    const { status, body } = await announce(sent)
    expect({ status, ...body }).toMatchObject({
      status: 400,
      code: 'explorer_announce_invalid_url',
      retryable: false,
      details: { parameter: 'baseUrl', ...(value !== undefined && { value }) },
    })
    expect(await rows()).toEqual([])
  })

  test('refuses loopback where it is not allowed, as written and by name', async () => {
    const other = await world.openFacilitator(supportedOf([]))
    const fetchers = fetchersFor({ 'stranger.example': ['127.0.0.1'] }, false)
    const announce = await serve({ allowLoopback: false, fetchers })
    for (const host of ['127.0.0.1', 'localhost', '[::1]', 'stranger.example']) {
      const { status, body } = await announce({ baseUrl: `http://${host}:${other.port}` })
      expect([status, body.code]).toEqual([400, 'explorer_announce_invalid_url'])
    }
    expect(other.requests).toEqual([])
  })

  test('follows no redirect to this machine', async () => {
    const secret = await world.openFacilitator(supportedOf([address()]))
    const stranger = await world.openFacilitator(302)
    stranger.headers = { location: `${secret.baseUrl}/supported` }
    const announce = await serve()
    const { status, body } = await announce({ baseUrl: stranger.baseUrl })
    expect([status, body.code]).toEqual([502, 'explorer_announce_unreachable'])
    expect(secret.requests).toEqual([])
  })

  test('dials the address that it vetted: a name that changes its address gains nothing', async () => {
    const other = await world.openFacilitator(supportedOf([]))
    // The first look-up has an address that is refused, the next one would lead here.
    const answers = [['10.0.0.1'], ['127.0.0.1']]
    const fetchers = opened.use(
      registryFetchers({
        allowLoopback: true,
        resolve: async () =>
          (answers.shift() ?? []).map((found) => ({ address: found, family: 4 as const })),
      }),
    )
    const announce = await serve({ fetchers })
    const { status } = await announce({ baseUrl: `http://stranger.example:${other.port}` })
    expect(status).toBe(400)
    expect(answers).toEqual([['127.0.0.1']])
    expect(other.requests).toEqual([])
  })

  test.each([
    ['an error', 500],
    ['a page', '<html>'],
    ['other JSON', { signers: {} }],
    ['too much', { kinds: [], more: 'x'.repeat(262_144) }],
  ])('answers 502, retryable, to a server that answers %s', async (_, supported) => {
    const other = await world.openFacilitator(supported)
    const announce = await serve()
    const { status, body } = await announce({ baseUrl: other.baseUrl })
    expect(status).toBe(502)
    expect(body).toMatchObject({ code: 'explorer_announce_unreachable', retryable: true })
    expect(await rows()).toEqual([])
  })

  test('answers 502 to a server that cannot be reached', async () => {
    const closed = createServer()
    await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve))
    const { port } = closed.address() as { port: number }
    await new Promise((resolve) => closed.close(resolve))
    const announce = await serve()
    expect(await announce({ baseUrl: `http://127.0.0.1:${port}` })).toMatchObject({ status: 502 })
  })

  test('refuses this service itself, by its URL and by its signers', async () => {
    const sponsor = address()
    await world.store.db
      .insertInto('replica_heartbeats')
      .values({ network, sponsor, replica: 'one', seen_at: new Date() })
      .execute()
    await using _registry = world.start()
    await world.untilSigners({ [sponsor]: 'svc' })
    const [byUrl, bySigners] = [
      await world.openFacilitator(supportedOf([])),
      await world.openFacilitator(supportedOf([sponsor])),
    ]
    const announce = await serve({ ownBaseUrls: [`${byUrl.baseUrl}/`] })
    for (const { baseUrl } of [byUrl, bySigners]) {
      const { status, body } = await announce({ baseUrl })
      expect([status, body.code]).toEqual([400, 'explorer_announce_invalid_url'])
    }
    expect(byUrl.requests).toEqual([])
  })

  test('takes ten a minute from a client and refuses the next, whichever replica it asks', async () => {
    const other = await world.openFacilitator(supportedOf([]))
    const replicas = [await serve(), await serve()]
    const statuses: number[] = []
    for (let count = 0; count < 14; count++) {
      const announce = replicas[count % 2]
      const answer = await announce?.({ baseUrl: other.baseUrl }, '203.0.113.7')
      statuses.push(answer?.status ?? 0)
      if (answer?.status === 429) {
        expect(answer.body).toMatchObject({ code: 'rate_limited', retryable: true })
        expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
      }
    }
    const passed = statuses.filter((status) => status === 200).length
    expect(passed).toBeGreaterThanOrEqual(10)
    // A tenth more at most, where replicas admit calls by themselves.
    expect(passed).toBeLessThanOrEqual(11)
    expect(await replicas[0]?.({ baseUrl: other.baseUrl }, '203.0.113.8')).toMatchObject({
      status: 200,
    })
  })

  test('takes 120 a minute from all clients together', async () => {
    const announce = await serve({ fetchers: fetchersFor({}) })
    const send = (client: number) =>
      announce({ baseUrl: 'http://unresolved.example' }, `198.51.100.${client % 200}`)
    const answers = await Promise.all(Array.from({ length: 280 }, (_, client) => send(client)))
    const admitted = answers.filter(({ status }) => status !== 429).length
    expect(admitted).toBeGreaterThanOrEqual(120)
    // A minute of the database may end between two of the calls; a tenth may pass beyond the limit.
    expect(admitted).toBeLessThanOrEqual(2 * 132)
  })

  test('takes five of one host, and then says that there is no place', async () => {
    const other = await world.openFacilitator(supportedOf([]))
    const announce = await serve()
    const statuses: number[] = []
    for (const path of ['/a', '/b', '/c', '/d', '/e', '/f']) {
      statuses.push((await announce({ baseUrl: other.baseUrl + path })).status)
    }
    expect(statuses).toEqual([200, 200, 200, 200, 200, 503])
    expect((await rows()).map(({ id }) => id).sort()).toEqual([
      '127.0.0.1',
      '127.0.0.1-2',
      '127.0.0.1-3',
      '127.0.0.1-4',
      '127.0.0.1-5',
    ])
  })

  test('takes five of one domain, whatever its hosts, and each customer of a provider as one domain', async () => {
    const other = await world.openFacilitator(supportedOf([]))
    const hosts = [...'abcdef'].map((name) => `${name}.pays.example.co.uk`)
    const customers = [...'abcdef'].map((name) => `${name}.github.io`)
    const names = [...hosts, ...customers, 'other.co.uk']
    const fetchers = fetchersFor(Object.fromEntries(names.map((name) => [name, ['127.0.0.1']])))
    const announce = await serve({ fetchers })
    const send = async (name: string, at: number) => {
      const answer = await announce(
        { baseUrl: `http://${name}:${other.port}` },
        `203.0.113.${at + 20}`,
      )
      return answer.status
    }
    const statuses: number[] = []
    for (const [at, name] of names.entries()) statuses.push(await send(name, at))
    expect(statuses.slice(0, 6)).toEqual([200, 200, 200, 200, 200, 503])
    expect(statuses.slice(6)).toEqual(names.slice(6).map(() => 200))
  })

  test('gives the place of the one longest unseen to a new one, and none of a day that is not over', async () => {
    const other = await world.openFacilitator(supportedOf([]))
    const day = 86_400_000
    const seen = (daysAgo: number) => new Date(Date.now() - daysAgo * day)
    await world.store.db
      .insertInto('explorer_facilitators')
      .values(
        Array.from({ length: 1_000 }, (_, place) => ({
          id: `host${place}.example`,
          base_url: `https://host${place}.example`,
          source: 'announced' as const,
          verified: place !== 5,
          last_seen_at: place === 5 ? null : seen(place === 7 ? 9 : 0),
        })),
      )
      .execute()
    const announce = await serve()
    const isThere = async (place: number) =>
      (await world.facilitator(`host${place}.example`)) !== undefined
    expect(await announce({ baseUrl: `${other.baseUrl}/a` })).toMatchObject({ status: 200 })
    expect([await isThere(5), await isThere(7)]).toEqual([false, true])
    expect(await announce({ baseUrl: `${other.baseUrl}/b` })).toMatchObject({ status: 200 })
    expect(await isThere(7)).toBe(false)
    const { status, body } = await announce({ baseUrl: `${other.baseUrl}/c` })
    expect([status, body.code]).toEqual([503, 'service_unavailable'])
    expect(await rows()).toHaveLength(1_000)

    // Hosts of a domain that has many make place for one that has none.
    await world.store.db
      .updateTable('explorer_facilitators')
      .set((row) => ({
        base_url: row.fn('replace', ['base_url', row.val('.example'), row.val('.tunnels.example')]),
      }))
      .where('id', 'like', 'host99_.example')
      .execute()
    const fetchers = fetchersFor({ 'new.other.example': ['127.0.0.1'] })
    const newcomer = await (await serve({ fetchers }))({
      baseUrl: `http://new.other.example:${other.port}`,
    })
    expect(newcomer.status).toBe(200)
    const left = await Promise.all(Array.from({ length: 10 }, (_, at) => isThere(990 + at)))
    expect(left.filter(Boolean)).toHaveLength(9)
    expect(await rows()).toHaveLength(1_000)
  })
})
