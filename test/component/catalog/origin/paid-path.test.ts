import type { RequestListener } from 'node:http'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { address, bazaarOf, httpContent, versionsOf } from '../seed-listings.ts'
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

const MINUTE_MS = 60_000
const PAID = '/stories/moby-dick'

/** Sells stories that there are; any other path is 404. A server fills in the parameter of each request. */
const sellsStories =
  (payTo: string, stories: readonly string[] = [PAID]): RequestListener =>
  (request, response) => {
    const { url = '', headers } = request
    if (!stories.includes(url)) return answers(404)(request, response)
    const pathParams = { id: url.split('/').at(-1) }
    const bazaar = { ...bazaarOf('GET', { pathParams }), routeTemplate: '/stories/:id' }
    const required = requiredBy(`http://${headers.host}${url}`, payTo, { extensions: { bazaar } })
    return asks(required)(request, response)
  }

describe('an origin that looks for what it sells before it asks for payment', () => {
  let world: World
  beforeAll(async () => {
    world = await openWorld()
  })
  // So that no later test checks what this one leaves.
  afterEach(() => world.store.db.deleteFrom('listings').execute())
  afterAll(() => world[Symbol.asyncDispose]())

  const listed = async (
    origin: Origin,
    { path = PAID, input = {} }: { path?: string | null; input?: object } = {},
  ) => {
    const owner = address()
    const bazaar = { ...bazaarOf('GET', input), routeTemplate: '/stories/:id' }
    const content = httpContent(`${origin.url}/stories/:id`, owner, { bazaar })
    const { id } = await world.seed({ owner, content })
    await pays(id, path)
    return { id, owner, content }
  }
  const pays = (id: string, path: string | null) =>
    world.store.db.updateTable('listings').set({ paid_path: path }).where('id', '=', id).execute()
  const checkOnce = async (id: string, code: string) => {
    await makeDue(world.store, id)
    await using _checks = world.start()
    return await untilOutcome(world, id, code)
  }
  const pathsSeen = ({ seen }: Origin) => seen.map(({ url }) => url)
  /** Everything that can be read of a listing. */
  const shownOf = async (id: string) => {
    const { content, last_outcome } = await world.read(id)
    const versions = await world.store.db
      .selectFrom('listing_versions')
      .select('content')
      .where('listing_id', '=', id)
      .execute()
    return JSON.stringify([content, last_outcome, versions])
  }

  test('is asked with the path that was paid for, which is then deleted and never shown', async () => {
    await using origin = await openOrigin(answers(500))
    const { id, owner } = await listed(origin)
    origin.answer = sellsStories(owner)
    const listing = await checkOnce(id, 'origin_verified')
    expect(pathsSeen(origin)).toEqual([PAID])
    expect(listing).toMatchObject({ state: 'published', paid_path: null })
    expect(await shownOf(id)).not.toContain('moby')
    expect(await versionsOf(world.store, id)).toHaveLength(2)
  })

  test('is asked with the declared examples first', async () => {
    await using origin = await openOrigin(answers(500))
    const { id, owner } = await listed(origin, { input: { pathParams: { id: 'emma' } } })
    origin.answer = sellsStories(owner, ['/stories/emma'])
    expect(await checkOnce(id, 'origin_verified')).toMatchObject({ paid_path: null })
    expect(pathsSeen(origin)).toEqual(['/stories/emma'])
  })

  test('is asked with 1 where neither is known', async () => {
    await using origin = await openOrigin(answers(500))
    const { id, owner } = await listed(origin, { path: null })
    origin.answer = sellsStories(owner, ['/stories/1'])
    await checkOnce(id, 'origin_verified')
    expect(pathsSeen(origin)).toEqual(['/stories/1'])
  })

  test('keeps the path until it has answered', async () => {
    await using origin = await openOrigin(answers(500))
    const { id, owner } = await listed(origin)
    expect(await checkOnce(id, 'origin_unreachable')).toMatchObject({ paid_path: PAID })
    origin.answer = sellsStories(owner)
    await checkOnce(id, 'origin_verified')
    expect(pathsSeen(origin)).toEqual([PAID, PAID])
  })

  test('is named without the path when it refuses it', async () => {
    await using origin = await openOrigin(answers(404))
    const { id } = await listed(origin)
    const listing = await checkOnce(id, 'origin_not_payment_required')
    expect(listing).toMatchObject({ state: 'quarantined', paid_path: null })
    expect(listing.last_outcome).toMatchObject({
      reason: `GET ${origin.url}/stories/:id answered HTTP 404, expected 402.`,
    })
  })

  test('is named without the path when it declares no template any more', async () => {
    await using origin = await openOrigin(answers(500))
    const { id, owner } = await listed(origin)
    origin.answer = asks(requiredBy(origin.url + PAID, owner))
    await checkOnce(id, 'origin_changed_resource')
    expect(await shownOf(id)).not.toContain('moby')
  })

  describe('and is published', () => {
    const published = async (origin: Origin) => {
      const listing = await listed(origin)
      // Both what was paid for and 1 are for sale.
      origin.answer = sellsStories(listing.owner, [PAID, '/stories/1'])
      await checkOnce(listing.id, 'origin_verified')
      return listing
    }

    test.each<[string, string, (payTo: string) => RequestListener]>([
      ['knows no such thing', 'origin_not_payment_required', () => answers(404)],
      [
        'pays another',
        'origin_names_another_payee',
        () => sellsStories(address(), ['/stories/bad']),
      ],
    ])(
      'keeps its listing when a path that a payer chose %s: a second look does without the path',
      async (_, code, answerTo) => {
        await using origin = await openOrigin(answers(500))
        const { id, owner } = await published(origin)
        await pays(id, '/stories/bad')
        origin.answer = answerTo(owner)
        const refused = await checkOnce(id, code)
        expect(refused).toMatchObject({ state: 'published', paid_path: null, owner })
        expect(msUntil(refused.check_due_at) / MINUTE_MS).toBeGreaterThan(8)
        expect(await shownOf(id)).not.toContain('/stories/bad')

        // The payer pays again, and the second look does without that path, too.
        await pays(id, '/stories/bad')
        origin.answer = sellsStories(owner, ['/stories/1'])
        // The server fills in 1, which is then the declared example.
        expect(await checkOnce(id, 'origin_updated')).toMatchObject({ state: 'published', owner })
        expect(pathsSeen(origin).slice(-2)).toEqual(['/stories/bad', '/stories/1'])
      },
    )

    test('leaves when the second look finds the same', async () => {
      await using origin = await openOrigin(answers(500))
      const { id } = await published(origin)
      await pays(id, PAID)
      origin.answer = answers(404)
      await checkOnce(id, 'origin_not_payment_required')
      expect(await checkOnce(id, 'origin_not_payment_required')).toMatchObject({
        state: 'quarantined',
      })
      expect(pathsSeen(origin).slice(-2)).toEqual([PAID, '/stories/1'])
    })
  })

  test('is asked with the path of a claim, once the listing was refused', async () => {
    await using origin = await openOrigin(answers(404))
    const { id, owner, content } = await listed(origin, { path: '/stories/gone' })
    await checkOnce(id, 'origin_not_payment_required')
    await claim(world.store, id, owner, content)
    await world.store.db.updateTable('listing_claims').set({ paid_path: PAID }).execute()
    origin.answer = sellsStories(owner)
    expect(await checkOnce(id, 'origin_verified')).toMatchObject({ state: 'published' })
    expect(pathsSeen(origin)).toEqual(['/stories/gone', PAID])
    expect(await shownOf(id)).not.toContain('moby')
  })
})
