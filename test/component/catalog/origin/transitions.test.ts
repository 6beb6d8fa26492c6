import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import {
  address,
  bazaarOf,
  httpContent,
  optionTo,
  uptoOptionTo,
  versionsOf,
} from '../seed-listings.ts'
import { pendingAt, publishedAt, quarantinedAt } from './listing-states.ts'
import {
  answers,
  asks,
  claim,
  makeDue,
  msUntil,
  type Origin,
  openOrigin,
  openWorld,
  patience,
  requiredBy,
  untilOutcome,
  type World,
} from './origin-world.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS

/** Seconds that a test may take between a check and its look at the result. */
const tolerance = 40_000

describe('the transition table of listings', () => {
  let world: World
  beforeAll(async () => {
    world = await openWorld()
  })
  // So that no later test checks what this one leaves.
  afterEach(() => world.store.db.deleteFrom('listings').execute())
  afterAll(() => world[Symbol.asyncDispose]())

  const versions = (id: string) => versionsOf(world.store, id)

  test('pending, origin names the owner with a matching bazaar extension: published, origin_verified', async () => {
    await using origin = await openOrigin(answers(500))
    const { id, owner, resource } = await pendingAt(world, origin)
    origin.answer = asks(requiredBy(resource, owner))
    await using _checks = world.start()
    const listing = await untilOutcome(world, id, 'origin_verified')
    expect(listing).toMatchObject({
      state: 'published',
      trust: 'origin_verified',
      version: 2,
      owner,
    })
    expect(listing.first_published_at).not.toBeNull()
    expect(listing.last_outcome).toMatchObject({ status: 'success' })
    expect(await versions(id)).toMatchObject([
      { version: 1, cause: 'settlement', state: 'pending', trust: 'settled' },
      { version: 2, cause: 'origin_verification', state: 'published', trust: 'origin_verified' },
    ])
    expect(Math.abs(msUntil(listing.check_due_at) - DAY_MS)).toBeLessThan(tolerance)
  })

  test.each<[string, string, (resource: string, owner: string) => Origin['answer']]>([
    ['answers without asking for payment', 'origin_not_payment_required', () => answers(200)],
    ['redirects', 'origin_not_payment_required', () => answers(301, { location: '/' })],
    ['knows the resource no more', 'origin_not_payment_required', () => answers(404)],
    ['asks for payment without requirements', 'origin_requirements_unreadable', () => answers(402)],
    [
      'asks for payment in another version',
      'origin_requirements_unreadable',
      (url, owner) => asks(requiredBy(url, owner, { x402Version: 1 })),
    ],
    [
      'answers more than 64 KiB',
      'origin_requirements_unreadable',
      () => answers(402, {}, ' '.repeat(70_000)),
    ],
    [
      'names no known payTo',
      'origin_names_another_payee',
      (url) => asks(requiredBy(url, address())),
    ],
    [
      'names the owner on another network only',
      'origin_names_another_payee',
      (url, owner) =>
        asks(
          requiredBy(url, owner, { accepts: [{ ...optionTo(owner), network: 'stellar:pubnet' }] }),
        ),
    ],
    [
      'drops the extension',
      'origin_without_bazaar',
      (url, owner) => asks(requiredBy(url, owner, { extensions: { other: {} } })),
    ],
    [
      'declares another method',
      'origin_changed_resource',
      (url, owner) => asks(requiredBy(url, owner, { extensions: { bazaar: bazaarOf('POST') } })),
    ],
    [
      'declares another URL',
      'origin_changed_resource',
      (url, owner) => asks(requiredBy(`${url}/other`, owner)),
    ],
    [
      'declares an MCP tool',
      'origin_changed_resource',
      (url, owner) =>
        asks(
          requiredBy(url, owner, {
            extensions: {
              bazaar: {
                ...bazaarOf('GET'),
                info: { input: { type: 'mcp', toolName: 'weather', inputSchema: {} } },
              },
            },
          }),
        ),
    ],
    [
      'declares what breaks its own schema',
      'bazaar_info_invalid',
      (url, owner) => {
        const { info, schema } = bazaarOf('GET')
        const strict = { ...schema, required: ['input', 'output'] }
        return asks(requiredBy(url, owner, { extensions: { bazaar: { info, schema: strict } } }))
      },
    ],
    [
      'declares a schema of another document',
      'bazaar_schema_external_reference',
      (url, owner) => {
        const { info } = bazaarOf('GET')
        const schema = { $ref: 'https://schema.example/' }
        return asks(requiredBy(url, owner, { extensions: { bazaar: { info, schema } } }))
      },
    ],
  ])('pending or published, origin %s: quarantined, %s', async (_, code, answerOf) => {
    await using origin = await openOrigin(answers(500))
    const pending = await pendingAt(world, origin)
    origin.answer = answerOf(pending.resource, pending.owner)
    {
      await using _checks = world.start()
      const listing = await untilOutcome(world, pending.id, code)
      expect(listing).toMatchObject({ state: 'quarantined', check_due_at: null, version: 2 })
      expect(listing.last_outcome).toMatchObject({
        status: 'rejected',
        reason: expect.stringMatching(/^[^\n]+\.$/),
      })
      expect((await versions(pending.id)).at(-1)).toMatchObject({ cause: 'quarantine' })
    }
    await world.store.db.deleteFrom('listings').execute()
    const published = await publishedAt(world, origin)
    origin.answer = answerOf(published.resource, published.owner)
    await makeDue(world.store, published.id)
    await using _checks = world.start()
    if (code !== 'origin_names_another_payee') {
      const listing = await untilOutcome(world, published.id, code)
      expect(listing).toMatchObject({ state: 'published', version: 2, check_has_refused: true })
      expect(Math.abs(msUntil(listing.check_due_at) - 10 * MINUTE_MS)).toBeLessThan(tolerance)
      await makeDue(world.store, published.id)
    }
    expect(await untilOutcome(world, published.id, code)).toMatchObject({
      state: 'quarantined',
      version: 3,
    })
  })

  test('published, refused again within ten minutes because a payment asks: stays, and leaves only at the next try', async () => {
    await using origin = await openOrigin(answers(500))
    const { id, owner, resource } = await publishedAt(world, origin)
    origin.answer = answers(404)
    const code = 'origin_not_payment_required'
    await makeDue(world.store, id)
    await using _checks = world.start()
    await untilOutcome(world, id, code)
    const retryAt = new Date(Date.now() + 9 * MINUTE_MS)
    await makeDue(world.store, id, { check_retry_at: retryAt })
    expect(await untilOutcome(world, id, code)).toMatchObject({
      ...{ state: 'published', version: 2, check_due_at: retryAt },
    })
    // One answer that confirms it, and the next refusal is a first one.
    origin.answer = asks(requiredBy(resource, owner))
    await makeDue(world.store, id)
    await untilOutcome(world, id, 'origin_verified')
    origin.answer = answers(404)
    await makeDue(world.store, id)
    expect(await untilOutcome(world, id, code)).toMatchObject({ state: 'published' })
  })

  test.each([408, 429, 500, 502, 503])(
    'pending, origin answers %i: retried in a minute, still pending',
    async (status) => {
      await using origin = await openOrigin(answers(status))
      const { id } = await pendingAt(world, origin)
      await using _checks = world.start()
      const listing = await untilOutcome(world, id, 'origin_unreachable')
      expect(listing).toMatchObject({ state: 'pending', version: 1, check_tries: 1 })
      expect(listing.last_outcome).toMatchObject({ status: 'processing' })
    },
  )

  test.each(['pending', 'published'] as const)(
    '%s, unreachable through every retry (1 min, 5 min, 30 min, 2 h, 12 h): quarantined',
    async (state) => {
      await using origin = await openOrigin(answers(500))
      const { id } = await { pending: pendingAt, published: publishedAt }[state](world, origin)
      origin.answer = answers(503)
      for (const [tries, minutes] of [1, 5, 30, 120, 720].entries()) {
        await makeDue(world.store, id, { check_tries: tries })
        {
          await using _checks = world.start()
          const listing = await untilOutcome(world, id, 'origin_unreachable')
          expect(listing).toMatchObject({ state, check_tries: tries + 1 })
          expect(Math.abs(msUntil(listing.check_due_at) - minutes * MINUTE_MS)).toBeLessThan(
            tolerance,
          )
        }
      }
      await makeDue(world.store, id)
      await using _checks = world.start()
      const listing = await untilOutcome(world, id, 'origin_unreachable')
      expect(listing).toMatchObject({ state: 'quarantined', check_due_at: null })
      expect(listing.last_outcome).toMatchObject({ status: 'rejected' })
    },
  )

  test.each(['pending', 'published'] as const)(
    '%s, unreachable when a payment brings its check forward: no try is used up, and the next stays due',
    async (state) => {
      await using origin = await openOrigin(answers(500))
      const { id } = await { pending: pendingAt, published: publishedAt }[state](world, origin)
      origin.answer = answers(503)
      const retryAt = new Date(Date.now() + 12 * 60 * MINUTE_MS)
      await makeDue(world.store, id, { check_tries: 5, check_retry_at: retryAt })
      await using _checks = world.start()
      expect(await untilOutcome(world, id, 'origin_unreachable')).toMatchObject({
        ...{ state, check_tries: 5, check_due_at: retryAt },
      })
      await makeDue(world.store, id)
      expect(await untilOutcome(world, id, 'origin_unreachable')).toMatchObject({
        state: 'quarantined',
      })
    },
  )

  test('published, unreachable for the first time when a payment asks: the first try', async () => {
    await using origin = await openOrigin(answers(500))
    const { id, owner } = await publishedAt(world, origin)
    origin.answer = answers(503)
    await claim(world.store, id, owner)
    await makeDue(world.store, id, { check_retry_at: new Date(Date.now() + DAY_MS) })
    await using _checks = world.start()
    const { check_tries, check_due_at } = await untilOutcome(world, id, 'origin_unreachable')
    expect(check_tries).toBe(1)
    expect(Math.abs(msUntil(check_due_at) - MINUTE_MS)).toBeLessThan(tolerance)
  })

  test('a try that succeeds gives all retries back', async () => {
    await using origin = await openOrigin(answers(500))
    const { id, owner, resource } = await pendingAt(world, origin)
    origin.answer = asks(requiredBy(resource, owner))
    await makeDue(world.store, id, { check_tries: 4 })
    await using _checks = world.start()
    expect(await untilOutcome(world, id, 'origin_verified')).toMatchObject({ check_tries: 0 })
  })

  test('published, same owner, changed option or metadata: a version of cause origin_verification', async () => {
    await using origin = await openOrigin(answers(500))
    const { id, owner, resource } = await publishedAt(world, origin)
    const transaction = await claim(world.store, id, owner)
    origin.answer = asks(
      requiredBy(resource, owner, {
        resource: { url: resource, description: 'Weather of tomorrow' },
        accepts: [{ ...optionTo(owner), amount: '7' }, optionTo(address())],
      }),
    )
    await using _checks = world.start()
    const listing = await untilOutcome(world, id, 'origin_updated')
    expect(listing).toMatchObject({
      state: 'published',
      version: 3,
      content: { description: 'Weather of tomorrow', accepts: [{ amount: '7', payTo: owner }] },
    })
    expect((await versions(id)).at(-1)).toMatchObject({ cause: 'origin_verification', transaction })
    const options = await world.store.db
      .selectFrom('listing_options')
      .select(['amount', 'pay_to'])
      .where('listing_id', '=', id)
      .execute()
    expect(options).toEqual([{ amount: '7', pay_to: owner }])
  })

  test('published, same owner, another scheme: both options are listed, each with its own price', async () => {
    await using origin = await openOrigin(answers(500))
    const { id, owner, resource } = await publishedAt(world, origin)
    const both = [optionTo(owner), uptoOptionTo(owner)]
    await claim(world.store, id, owner, httpContent(resource, owner, { accepts: both.slice(1) }))
    origin.answer = asks(requiredBy(resource, owner, { accepts: both }))
    await using _checks = world.start()
    const listing = await untilOutcome(world, id, 'origin_updated')
    expect(listing).toMatchObject({ state: 'published', content: { accepts: both } })
    await makeDue(world.store, id)
    expect(await untilOutcome(world, id, 'origin_verified')).toMatchObject({ version: 3 })
  })

  test('published, same owner, change that the origin does not confirm: stays as it was', async () => {
    await using origin = await openOrigin(answers(500))
    const { id, owner } = await publishedAt(world, origin)
    await claim(world.store, id, owner)
    await using _checks = world.start()
    expect(await untilOutcome(world, id, 'origin_verified')).toMatchObject({ version: 2 })
    expect(await world.store.db.selectFrom('listing_claims').selectAll().execute()).toEqual([])
  })

  test('quarantined, a later settlement triggers a check that passes: published', async () => {
    await using origin = await openOrigin(answers(500))
    const { id, owner, resource } = await quarantinedAt(world, origin)
    origin.answer = asks(requiredBy(resource, owner))
    const transaction = await claim(world.store, id, owner)
    await using _checks = world.start()
    expect(await untilOutcome(world, id, 'origin_verified')).toMatchObject({
      state: 'published',
      version: 3,
    })
    expect((await versions(id)).at(-1)).toMatchObject({ cause: 'origin_verification', transaction })
  })

  test('quarantined, a later settlement triggers a check that fails: stays, without a version', async () => {
    await using origin = await openOrigin(answers(500))
    const { id } = await quarantinedAt(world, origin)
    origin.answer = answers(404)
    await makeDue(world.store, id)
    await using _checks = world.start()
    expect(await untilOutcome(world, id, 'origin_not_payment_required')).toMatchObject({
      state: 'quarantined',
      version: 2,
    })
  })

  test('pending, origin at an address that is not public: bazaar_resource_unsafe, quarantined', async () => {
    const owner = address()
    const content = httpContent('http://10.0.0.1/weather', owner)
    const { id } = await world.seed({ owner, content })
    await using _checks = world.start()
    expect(await untilOutcome(world, id, 'bazaar_resource_unsafe')).toMatchObject({
      state: 'quarantined',
    })
  })

  test('an MCP tool is published by its settlement, and its origin never asked', async () => {
    await using origin = await openOrigin(answers(500))
    const owner = address()
    const { method: _, ...content } = httpContent(`${origin.url}/mcp`, owner)
    const { id } = await world.seed({
      owner,
      content: { ...content, kind: 'mcp', toolName: 'weather' },
      state: 'published',
    })
    await makeDue(world.store, id)
    await using _checks = world.start()
    await expect.poll(async () => (await world.read(id)).check_due_at, patience).toBeNull()
    expect(await world.read(id)).toMatchObject({ state: 'published', trust: 'settled', version: 1 })
    expect(origin.seen).toEqual([])
  })
})
