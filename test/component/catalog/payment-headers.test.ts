import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { readDeclaration } from '../../../src/catalog/declaration/read-declaration.ts'
import { catalogHooks } from '../../../src/catalog/outcome/catalog-hooks.ts'
import { readCatalogStats } from '../../../src/catalog/store/discovery/stats.ts'
import { openValidator } from '../../../src/catalog/validation/open-validator.ts'
import type { CatalogHooks } from '../../../src/payments/api/catalog-hooks.ts'
import { startBackgroundLoop } from '../../../src/platform/core/time/background-loop.ts'
import { systemClock } from '../../../src/platform/core/time/clock.ts'
import type { PaymentBody } from '../../support/payments.ts'
import { recordDeclarations } from '../../support/recorded-declarations.ts'
import { type RpcProxy, startRpcProxy } from '../../support/rpc-proxy.ts'
import type { Answer, StackOptions } from '../../support/stack.ts'
import { rowOf } from '../payments/store-view.ts'
import { openWorld, type World } from '../payments/world.ts'

/* What a payment that declares a resource is told, and that its verdict is its own. */

const url = 'https://seller.example/weather'
const bazaar = {
  info: { input: { type: 'http', method: 'GET', queryParams: { city: 'Paris' } } },
  schema: { type: 'object', properties: { input: { type: 'object' } }, required: ['input'] },
}
const declared = { resource: { url, description: 'Weather' }, extensions: { bazaar } }

const cataloged = { status: 'success', code: 'cataloged', dropped: [] } as const

type CatalogOf = NonNullable<StackOptions['catalog']>

/** As a facilitator opens it, with a thread that validates. */
const catalogUntil =
  (defer: (end: () => Promise<void>) => void): CatalogOf =>
  (deps) => {
    const validator = openValidator({ clock: systemClock, allowLoopback: false })
    const hooks = catalogHooks({
      ...deps,
      writer: 'test',
      read: (declaration, { payTo, request }) => {
        const network = request.paymentRequirements.network as 'stellar:testnet'
        return readDeclaration(declaration, { network, payTo }, validator)
      },
    })
    defer(async () => hooks[Symbol.asyncDispose]())
    defer(async () => validator[Symbol.asyncDispose]())
    return hooks
  }
const realCatalog: CatalogOf = (deps) => catalogUntil(onTestFinished)(deps)

/** One service with a catalog, and one without that reaches the network through a proxy: other catalogs are replicas of it. */
let proxy: RpcProxy
let withCatalog: World
let plain: World
const opened = new AsyncDisposableStack()
beforeAll(async () => {
  proxy = opened.use(await startRpcProxy())
  plain = opened.use(await openWorld({ rpcThrough: proxy.forwardTo }))
  withCatalog = opened.use(await openWorld({ catalog: catalogUntil((end) => opened.defer(end)) }))
})
afterAll(() => opened.disposeAsync())

const replicaWith = (catalog: CatalogOf) => plain.stack.replica('same sponsor', catalog)

const payDeclaring = async (world: World, members: object = declared): Promise<PaymentBody> => {
  const body = await world.pay()
  Object.assign(body.paymentPayload, members)
  return body
}

const told = ({ headers }: Answer) => {
  const value = headers.get('extension-responses')
  return value === null ? undefined : JSON.parse(Buffer.from(value, 'base64').toString('utf8'))
}

/** Records declarations as they come, until it is disposed of. */
function recordAll(
  { stack }: World,
  outcome: Parameters<typeof recordDeclarations>[1],
): AsyncDisposable {
  const run = async () => void (await recordDeclarations(stack.store.db, outcome))
  const onError = (error: unknown) => expect.unreachable(String(error))
  return startBackgroundLoop({ run, pauseMs: 20, clock: systemClock, onError })
}

describe('EXTENSION-RESPONSES', () => {
  it('is announced, previews the declaration of a valid payment, and says what became of a settled one', async () => {
    const world = withCatalog
    const { stack } = world
    expect((await stack.get('/supported')).body.extensions).toEqual([
      'bazaar',
      'payment-identifier',
    ])
    const listing = { listingId: '0195c6b7-7bd8-7c6c-b1d2-4f1d4a6f0001', version: 1 }
    const code = 'awaiting_origin_verification'
    await using _recording = recordAll(world, {
      status: 'processing',
      code,
      ...listing,
      dropped: ['tags'],
    })
    const body = await payDeclaring(world)

    // A busy machine may need longer than a verification waits, above all to start the thread.
    await vi.waitFor(
      async () => {
        const verified = await stack.post('/verify', body)
        expect(verified.body).toEqual({ isValid: true, payer: world.payer.address })
        expect(told(verified)).toEqual({
          bazaar: { phase: 'verify', status: 'processing', code: 'awaiting_settlement' },
        })
      },
      { timeout: 120_000 },
    )

    const settled = await stack.post('/settle', body)
    expect(settled.body).toMatchObject({ success: true })
    const outcome = { phase: 'settle', status: 'processing', code, ...listing, dropped: ['tags'] }
    expect(told(settled)).toEqual({ bazaar: outcome })

    const repeated = await stack.post('/settle', body)
    expect(repeated.body).toEqual(settled.body)
    expect(told(repeated)).toEqual({ bazaar: outcome })
    const { text } = await stack.metrics.expose()
    // Also those that came too late for their answer.
    expect(text).toMatch(
      /svc_catalog_outcomes_total{phase="verify",status="processing",code="awaiting_settlement"} [1-9]/,
    )
  })

  it.each([
    ['bazaar_extension_malformed', { ...declared, extensions: { bazaar: null } }],
    ['bazaar_resource_invalid', { ...declared, resource: { url: 7 } }],
    [
      'bazaar_schema_too_large',
      { ...declared, extensions: { bazaar: { ...bazaar, text: 'a'.repeat(70_000) } } },
    ],
  ])('says %s of a declaration, and changes no verdict', async (code, members) => {
    const world = withCatalog
    await using _recording = recordAll(world, cataloged)
    const body = await payDeclaring(world, members)
    const verified = await world.stack.post('/verify', body)
    expect(verified.body).toEqual({ isValid: true, payer: world.payer.address })
    expect(told(verified)).toEqual({
      bazaar: {
        ...{ phase: 'verify', status: 'rejected', code },
        rejectedReason: expect.stringMatching(/\.$/),
      },
    })
    expect((await world.stack.post('/settle', body)).body).toMatchObject({ success: true })
  })

  it('says cataloging_in_progress while no catalog process records the declaration', async () => {
    const world = withCatalog
    // What no case before it has waited for.
    await recordDeclarations(world.stack.store.db, cataloged)
    const body = await payDeclaring(world)
    const settled = await world.stack.post('/settle', body)
    expect(settled.body).toMatchObject({ success: true })
    const inProgress = { phase: 'settle', status: 'processing', code: 'cataloging_in_progress' }
    expect(told(settled)).toEqual({ bazaar: inProgress })
    expect(await recordDeclarations(world.stack.store.db, cataloged)).toBe(1)
    expect(told(await world.stack.post('/settle', body))).toEqual({
      bazaar: { phase: 'settle', status: 'success', code: 'cataloged' },
    })
  })

  it('says at once that a payment from before the catalog was on is not in it', async () => {
    const body = await payDeclaring(plain)
    const settled = await plain.stack.post('/settle', body)
    expect(settled.body).toMatchObject({ success: true })
    await using replica = await replicaWith(realCatalog)
    const repeated = await replica.post('/settle', body)
    expect(repeated.body).toEqual(settled.body)
    expect(told(repeated).bazaar).toMatchObject({
      ...{ phase: 'settle', status: 'rejected', code: 'bazaar_catalog_unavailable' },
    })
  })

  it('is not on refused payments, nor on those that declare nothing', async () => {
    const world = withCatalog
    await using _recording = recordAll(world, cataloged)
    const { stack } = world
    const broke = await payDeclaring(world)
    broke.paymentRequirements = { ...broke.paymentRequirements, amount: '1' }
    for (const path of ['/verify', '/settle'] as const) {
      expect(told(await stack.post(path, broke))).toBeUndefined()
      expect(told(await stack.post(path, { ...broke, x402Version: 1 }))).toBeUndefined()
    }
    const silent = await world.pay()
    expect(told(await stack.post('/verify', silent))).toBeUndefined()
    expect(told(await stack.post('/settle', silent))).toBeUndefined()
    expect(told(await stack.post('/settle', silent))).toBeUndefined()
  })

  it('is never sent while the catalog is off, and nothing is stored', async () => {
    const { stack } = plain
    const body = await payDeclaring(plain)
    expect(told(await stack.post('/verify', body))).toBeUndefined()
    const settled = await stack.post('/settle', body)
    expect(settled.body).toMatchObject({ success: true })
    expect(told(settled)).toBeUndefined()
    expect(await recordDeclarations(stack.store.db, cataloged)).toBe(0)
    expect((await stack.get('/supported')).body.extensions).toEqual(['payment-identifier'])
  })
})

describe('a catalog that fails', () => {
  const failing = (ask: () => Promise<string | undefined>) => () => ({ preview: ask, settled: ask })
  it.each<[string, () => CatalogHooks]>([
    ['rejects', failing(() => Promise.reject(new Error('broken')))],
    [
      'throws',
      failing(() => {
        throw new Error('broken')
      }),
    ],
    ['never answers', failing(() => new Promise(() => undefined))],
    ['answers what no header can carry', failing(async () => 'a\r\nset-cookie: b')],
  ])('changes no answer when it %s', async (_, catalog) => {
    const { stack, payer } = plain
    await using replica = await replicaWith(catalog)
    const body = await payDeclaring(plain)
    const verified = await replica.post('/verify', body)
    expect(verified).toMatchObject({ status: 200, body: { isValid: true, payer: payer.address } })
    const settled = await replica.post('/settle', body)
    expect(settled).toMatchObject({ status: 200, body: { success: true } })
    expect(await replica.post('/settle', body)).toMatchObject({ body: settled.body })
    expect([told(verified), told(settled)]).toEqual([undefined, undefined])
    expect(await recordDeclarations(stack.store.db, cataloged)).toBe(1)
  })
})

describe('the preview of a declaration', () => {
  it('begins before the simulation has ended', async () => {
    const events: string[] = []
    const preview = async () => {
      events.push('previewed')
      return undefined
    }
    await using replica = await replicaWith(() => ({ preview, settled: preview }))
    const change = (result: Record<string, unknown>) => {
      events.push('simulated')
      return result
    }
    const body = await payDeclaring(plain)
    onTestFinished(() => void proxy.heal())
    proxy.fail('simulateTransaction', { kind: 'rewrite', change })
    expect((await replica.post('/verify', body)).body).toMatchObject({ isValid: true })
    expect(events).toEqual(['previewed', 'simulated'])
  })

  it('is counted for /health of all replicas', async () => {
    const { db } = plain.stack.store
    await sql`delete from catalog_outcome_counts`.execute(db)
    const hooks: (CatalogHooks & AsyncDisposable)[] = []
    await using replica = await replicaWith((deps) => {
      const read = async () => ({ ok: false, code: 'bazaar_info_invalid', reason: 'no.' }) as const
      const opened = catalogHooks({ ...deps, writer: 'test', read })
      hooks.push(opened)
      return opened
    })
    await replica.post('/verify', await payDeclaring(plain))
    await hooks[0]?.[Symbol.asyncDispose]()
    expect((await readCatalogStats(db)).outcomes1h).toEqual({ verify: { rejected: 1 } })
  })

  it.each([
    ['throws', () => Promise.reject(new Error('broken'))],
    ['never ends', () => new Promise<never>(() => undefined)],
  ])('says bazaar_catalog_unavailable when it %s', async (_, read) => {
    const catalog: CatalogOf = (deps) => {
      const hooks = catalogHooks({ ...deps, writer: 'test', read })
      onTestFinished(() => hooks[Symbol.asyncDispose]())
      return hooks
    }
    await using replica = await replicaWith(catalog)
    const verified = await replica.post('/verify', await payDeclaring(plain))
    expect(verified.body).toMatchObject({ isValid: true })
    expect(told(verified)?.bazaar).toMatchObject({ code: 'bazaar_catalog_unavailable' })
  })
})

describe('any JSON as resource and extensions of a payment', () => {
  const hostile = '\0\ud800 \u202e<script>'
  it.each<[string, unknown, unknown, string | undefined]>([
    ['numbers', 7, 7, undefined],
    ['texts', 'x', 'x', undefined],
    ['lists', [], [{ bazaar }], undefined],
    ['a URL that is a number', { url: 7 }, {}, undefined],
    ['an empty URL', { url: '' }, { bazaar: 7 }, ''],
    [
      'NUL and halves of surrogate pairs',
      { url: hostile },
      { bazaar: { [hostile]: hostile } },
      '\ufffd \u202e<script>',
    ],
    ['true', true, { bazaar: [[[]]] }, undefined],
    ['null', null, null, undefined],
  ])('leaves the verdict as it is: %s', async (_, resource, extensions, stored) => {
    const world = withCatalog
    await using _recording = recordAll(world, cataloged)
    const body = await payDeclaring(world, { resource, extensions })
    expect((await world.stack.post('/verify', body)).body).toMatchObject({ isValid: true })
    const settled = await world.stack.post('/settle', body)
    expect(settled.body).toMatchObject({ success: true })
    expect((await world.stack.post('/settle', body)).body).toEqual(settled.body)
    expect((await rowOf(world.stack, body))?.facts.resourceUrl).toBe(stored)
  })
})
