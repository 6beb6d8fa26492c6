import type { RequestListener } from 'node:http'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { address, anyHash, bazaarOf, httpContent, network } from '../seed-listings.ts'
import { publishedAt, quarantinedAt } from './listing-states.ts'
import {
  answers,
  asks,
  claim,
  makeDue,
  msUntil,
  type Origin,
  openOrigin,
  openWorld,
  requiredBy,
  untilOutcome,
  type World,
} from './origin-world.ts'

const byOrder = () => 0
/** The last of the choices: the address alone. */
const byAddress = () => 0.999
const isPlain = (url: string) => url === '/weather'

describe('an origin that refuses what a stranger declared', () => {
  let world: World
  beforeAll(async () => {
    world = await openWorld()
  })
  // So that no later test checks what this one leaves.
  afterEach(async () => {
    await world.store.db.deleteFrom('listings').execute()
    await world.store.db.deleteFrom('catalog_outcomes').execute()
  })
  afterAll(() => world[Symbol.asyncDispose]())

  const examples = (resource: string, payTo: string, method: string, input: object) => {
    const routeTemplate = resource.includes('/:') ? { routeTemplate: '/weather/:city' } : {}
    return httpContent(resource, payTo, {
      method,
      bazaar: { ...bazaarOf(method, input), ...routeTemplate },
    })
  }
  const checkOnce = async (id: string, code: string, random = byOrder) => {
    await makeDue(world.store, id)
    await using _checks = world.start({ random })
    return await untilOutcome(world, id, code)
  }
  /** A payment that intake has recorded, and whose claim has given way to others. */
  const paid = (id: string, payTo: string, transaction: string) =>
    world.store.db
      .insertInto('catalog_outcomes')
      .values({
        ...{ settlement_id: 1n, network, payer: address(), nonce: '1', pay_to: payTo, transaction },
        ...{ resource: null, status: 'rejected', code: 'bazaar_owner_conflict', reason: null },
        ...{ listing_id: id, version: 1, dropped: [], at: new Date() },
      })
      .execute()

  test.each<{
    refusal: string
    path: string
    method: string
    hostile: object
    honest: object
    isHonest: (url: string, body: string) => boolean
    status: number
  }>([
    {
      refusal: 'a query',
      ...{ path: '/weather', method: 'GET', status: 403 },
      ...{ hostile: { queryParams: { q: '<script>' } }, honest: { queryParams: { q: 'Lima' } } },
      isHonest: (url) => !url.includes('script'),
    },
    {
      refusal: 'a body',
      ...{ path: '/weather', method: 'POST', status: 400 },
      ...{ hostile: { bodyType: 'text', body: 'x' }, honest: { body: { city: 'Lima' } } },
      isHonest: (_, body) => body.includes('city'),
    },
    {
      refusal: 'a place in the path',
      ...{ path: '/weather/:city', method: 'GET', status: 404 },
      ...{ hostile: { pathParams: { city: 'no' } }, honest: { pathParams: { city: 'Lima' } } },
      isHonest: (url) => url.endsWith('/Lima'),
    },
    {
      refusal: 'a query with a failure',
      ...{ path: '/weather', method: 'GET', status: 500 },
      ...{ hostile: { queryParams: { q: '<script>' } }, honest: { queryParams: { q: 'Lima' } } },
      isHonest: (url) => !url.includes('script'),
    },
  ])(
    'by $refusal ($status), is asked with what the next sale declares',
    async ({ path, method, hostile, honest, isHonest, status }) => {
      await using origin = await openOrigin(answers(500))
      const [stranger, seller] = [address(), address()]
      const resource = `${origin.url}${path}`
      const content = (payTo: string, input: object) => examples(resource, payTo, method, input)
      const { bazaar } = content(seller, honest)
      const url = resource.replace(':city', 'Lima')
      const required = requiredBy(url, seller, { extensions: { bazaar } })
      origin.answer = validatesFirst(origin, isHonest, status, required)
      const { id } = await world.seed({ owner: stranger, content: content(stranger, hostile) })
      await checkOnce(id, status === 500 ? 'origin_unreachable' : 'origin_not_payment_required')
      const transaction = await claim(world.store, id, seller, content(seller, honest))
      expect(await checkOnce(id, 'origin_transferred')).toMatchObject({
        ...{ state: 'published', owner: seller, trust: 'origin_verified' },
      })
      const { db } = world.store
      const versions = await db.selectFrom('listing_versions').selectAll().execute()
      expect(versions).toContainEqual(
        expect.objectContaining({ cause: 'ownership_transfer', transaction }),
      )
      expect(await db.selectFrom('listing_claims').selectAll().execute()).toEqual([])
    },
  )

  test('is asked with each claim once, one at a time, a minute apart', async () => {
    await using origin = await openOrigin(answers(403))
    const { id, resource } = await quarantinedAt(world, origin)
    origin.answer = answers(403)
    for (const q of ['a', 'b']) {
      const payTo = address()
      await claim(world.store, id, payTo, examples(resource, payTo, 'GET', { queryParams: { q } }))
    }
    const before = origin.seen.length
    const first = await checkOnce(id, 'origin_not_payment_required')
    expect(first).toMatchObject({ state: 'quarantined', version: 2 })
    expect(msUntil(first.check_due_at)).toBeGreaterThan(0)
    expect(msUntil(first.check_due_at)).toBeLessThan(61_000)
    expect((await checkOnce(id, 'origin_not_payment_required')).check_due_at).toBeNull()
    await checkOnce(id, 'origin_not_payment_required')
    const asked = origin.seen.slice(before).map(({ url }) => url)
    expect(asked).toEqual(['/weather?q=b', '/weather?q=a', '/weather'])
  })

  test('is asked again with a claim that found it out of reach, until the tries of that claim are used up', async () => {
    await using origin = await openOrigin(answers(403))
    const { id, resource } = await quarantinedAt(world, origin)
    const seller = address()
    const honest = examples(resource, seller, 'GET', { queryParams: { q: 'Lima' } })
    await claim(world.store, id, seller, honest)
    origin.answer = answers(503)
    const { check_due_at } = await checkOnce(id, 'origin_unreachable')
    expect(msUntil(check_due_at)).toBeLessThan(70_000)
    const { db } = world.store
    const claims = () => db.selectFrom('listing_claims').selectAll().executeTakeFirstOrThrow()
    const makeClaimDue = (tries: number) =>
      db
        .updateTable('listing_claims')
        .set({ due_at: new Date(0), tries })
        .execute()
    const { due_at } = await claims()
    expect(msUntil(due_at)).toBeGreaterThan(0)

    await makeClaimDue(5)
    await checkOnce(id, 'origin_unreachable')
    expect(await claims()).toMatchObject({ due_at: null, tries: 6 })

    await makeClaimDue(1)
    const required = requiredBy(resource, seller, { extensions: { bazaar: honest.bazaar } })
    const isHonest = (url: string) => url.endsWith('?q=Lima')
    origin.answer = validatesFirst(origin, isHonest, 403, required)
    expect(await checkOnce(id, 'origin_transferred')).toMatchObject({ state: 'published' })
  })

  test('and is out of reach, is not asked for ever: claims give a quarantined listing no tries', async () => {
    await using origin = await openOrigin(answers(500))
    const { id } = await quarantinedAt(world, origin)
    origin.answer = answers(503)
    for (const payTo of [address(), address()]) await claim(world.store, id, payTo)
    await makeDue(world.store, id, { check_tries: 3 })
    await using _checks = world.start()
    expect(await untilOutcome(world, id, 'origin_unreachable')).toMatchObject({ check_tries: 4 })
  })

  test('and asks for the payment first, is found without examples, whatever strangers declare', async () => {
    await using origin = await openOrigin(answers(403))
    const resource = `${origin.url}/weather`
    const [seller, stranger] = [address(), address()]
    const hostile = { queryParams: { q: '<script>' } }
    const content = examples(resource, stranger, 'GET', hostile)
    const { id } = await world.seed({ owner: stranger, content })
    await checkOnce(id, 'origin_not_payment_required')
    for (let claims = 0; claims < 20; claims++) {
      const payTo = address()
      await claim(world.store, id, payTo, examples(resource, payTo, 'GET', hostile))
    }
    const transaction = anyHash()
    await paid(id, seller, transaction)
    origin.answer = validatesFirst(origin, isPlain, 403, requiredBy(resource, seller))
    await checkOnce(id, 'origin_transferred', byAddress)
    expect(await world.read(id)).toMatchObject({ state: 'published', owner: seller })
    const versions = await world.store.db.selectFrom('listing_versions').selectAll().execute()
    expect(versions.map((version) => version.transaction)).toContain(transaction)
  })

  test('keeps its listing published, and is asked with what it confirmed', async () => {
    await using origin = await openOrigin(answers(500))
    const { id, owner, resource } = await publishedAt(world, origin)
    origin.answer = validatesFirst(origin, isPlain, 403, requiredBy(resource, owner))
    const payTo = address()
    const hostile = { queryParams: { q: '<script>' } }
    await claim(world.store, id, payTo, examples(resource, payTo, 'GET', hostile))
    expect(await checkOnce(id, 'origin_verified')).toMatchObject({ state: 'published', owner })
  })

  test('keeps the pauses between the tries of a published listing, whatever is claimed meanwhile', async () => {
    await using origin = await openOrigin(answers(500))
    const { id } = await publishedAt(world, origin)
    origin.answer = answers(503)
    await claim(world.store, id, address())
    await makeDue(world.store, id, { check_tries: 1 })
    await using _checks = world.start()
    const { check_due_at } = await untilOutcome(world, id, 'origin_unreachable')
    expect(msUntil(check_due_at)).toBeGreaterThan(4 * 60_000)
  })

  test('keeps the tries of a pending listing that its server did not answer', async () => {
    await using origin = await openOrigin(answers(503))
    const owner = address()
    const resource = `${origin.url}/weather`
    const { id } = await world.seed({ owner, content: httpContent(resource, owner) })
    await checkOnce(id, 'origin_unreachable')
    origin.answer = answers(403)
    await claim(world.store, id, address(), httpContent(resource, owner))
    const listing = await checkOnce(id, 'origin_not_payment_required')
    expect(listing).toMatchObject({ state: 'pending', version: 1, check_tries: 1 })
    expect(msUntil(listing.check_due_at)).toBeGreaterThan(0)
    origin.answer = asks(requiredBy(resource, owner))
    expect(await checkOnce(id, 'origin_verified')).toMatchObject({ state: 'published', owner })
  })

  test('is not looked up for an address that is none', async () => {
    await using origin = await openOrigin(answers(500))
    const { id, owner, resource } = await publishedAt(world, origin)
    const accepts = [{ network, payTo: '\u0000' }]
    origin.answer = asks(requiredBy(resource, owner, { accepts }))
    expect(await checkOnce(id, 'origin_names_another_payee')).toMatchObject({ owner })
  })
})

/** Looks at the request before it asks for the payment. */
const validatesFirst =
  (
    { seen }: Pick<Origin, 'seen'>,
    isGood: (url: string, body: string) => boolean,
    status: number,
    required: object,
  ): RequestListener =>
  (request, response) => {
    const { url = '', body = '' } = seen.at(-1) ?? {}
    const answer = isGood(url, body) ? asks(required) : answers(status)
    return answer(request, response)
  }
