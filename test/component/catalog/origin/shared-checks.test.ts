import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { takeDueCheck } from '../../../../src/catalog/store/checks.ts'
import { lockListing, requestCheck } from '../../../../src/catalog/store/listings.ts'
import { changeListing } from '../../../../src/catalog/store/write-listing.ts'
import { inTransaction } from '../../../../src/platform/database/in-transaction.ts'
import { address, bazaarOf, httpContent, versionsOf } from '../seed-listings.ts'
import {
  answers,
  asks,
  makeDue,
  msUntil,
  openOrigin,
  openWorld,
  patience,
  requiredBy,
  untilOutcome,
  type World,
} from './origin-world.ts'

describe('checks of origins', () => {
  let world: World
  beforeAll(async () => {
    world = await openWorld()
  })
  afterEach(() => world.store.db.deleteFrom('listings').execute())
  afterAll(() => world[Symbol.asyncDispose]())

  const seed = async (resource: string, owner = address()) => ({
    owner,
    resource,
    id: (await world.seed({ owner, content: httpContent(resource, owner) })).id,
  })

  /** An origin that holds its answers until the test releases them. */
  const heldOrigin = async () => {
    const gate = Promise.withResolvers<void>()
    const origin = await openOrigin(answers(500))
    const hold = (required: object) => {
      origin.answer = (request, response) => {
        void gate.promise.then(() => asks(required)(request, response))
      }
    }
    const asked = () => vi.waitFor(() => expect(origin.seen.length).toBeGreaterThan(0), patience)
    return { origin, hold, asked, release: gate.resolve }
  }

  test('of several processes ask each origin once', async () => {
    await using origin = await openOrigin(answers(500))
    const { id, owner, resource } = await seed(`${origin.url}/a`)
    origin.answer = asks(requiredBy(resource, owner))
    await using _one = world.start()
    await using _two = world.start()
    await using _three = world.start()
    await untilOutcome(world, id, 'origin_verified')
    expect(origin.seen).toHaveLength(1)
    expect(await versionsOf(world.store, id)).toHaveLength(2)
  })

  test('ask one host one request at a time', async () => {
    let open = 0
    let most = 0
    await using origin = await openOrigin((_, response) => {
      open += 1
      most = Math.max(most, open)
      setTimeout(() => {
        open -= 1
        response.writeHead(404).end()
      }, 20)
    })
    const listings = await Promise.all(
      Array.from({ length: 6 }, (_, n) => seed(`${origin.url}/${n}`)),
    )
    await using _one = world.start()
    await using _two = world.start()
    for (const { id } of listings) await untilOutcome(world, id, 'origin_not_payment_required')
    expect(most).toBe(1)
  })

  describe('share the turns out', () => {
    const due = async (host: string, owner: string, path = 'a') => {
      const content = httpContent(`https://${host}/${path}`, owner)
      return (await world.seed({ owner, content })).id
    }
    const hostOf = async () => (await takeDueCheck(world.store.db, 60_000))?.itemKey
    const taken = async () => {
      const key = await hostOf()
      const row = await world.store.db
        .selectFrom('listings')
        .select(['host', 'resource'])
        .where('item_key', '=', key ?? '')
        .executeTakeFirst()
      return row?.resource
    }
    afterEach(() => world.store.db.deleteFrom('check_turns').execute())

    test('between registered domains: many hosts of one cost another one turn, and hold two checks at most', async () => {
      for (let n = 0; n < 6; n++) await due(`h${n}.tarpit.example`, address())
      await due('shop.example', address(), '1')
      await due('shop.example', address(), '2')
      const first = [await taken(), await taken()]
      expect(first.filter((url) => url?.includes('tarpit'))).toHaveLength(1)
      expect(first.filter((url) => url?.includes('shop'))).toHaveLength(1)
      expect(await taken()).toContain('tarpit')
      // Of the shop the one host is asked already, and of the other domain two are.
      expect(await taken()).toBeUndefined()
    })

    test('on a domain between the payees', async () => {
      const busy = address()
      for (let n = 0; n < 4; n++) await due('shop.example', busy, `busy/${n}`)
      await due('shop.example', address(), 'other')
      const release = () =>
        world.store.db.updateTable('listings').set({ check_lease_until: null }).execute()
      const seen = []
      for (let n = 0; n < 2; n++) {
        seen.push(await taken())
        await release()
      }
      expect(seen).toContain('https://shop.example/other')
    })
  })

  test('of a process that died are taken over when its lease ends', async () => {
    await using origin = await openOrigin(answers(500))
    const { id, owner, resource } = await seed(`${origin.url}/a`)
    origin.answer = asks(requiredBy(resource, owner))
    expect(await takeDueCheck(world.store.db, 3_600_000)).toMatchObject({ id })
    expect(await takeDueCheck(world.store.db, 3_600_000)).toBeUndefined()
    await world.store.db
      .updateTable('listings')
      .set({ check_due_at: new Date(0), check_lease_until: new Date(0) })
      .execute()
    await using _checks = world.start()
    await untilOutcome(world, id, 'origin_verified')
  })

  test('apply nothing when their lease has ended', async () => {
    const { origin, hold, asked, release } = await heldOrigin()
    await using _origin = origin
    const { id, owner, resource } = await seed(`${origin.url}/a`)
    hold(requiredBy(resource, owner))
    await using checks = world.start({ everyMs: 3_600_000 })
    await asked()
    const hour = new Date(Date.now() + 3_600_000)
    await world.store.db
      .updateTable('listings')
      .set({ check_owner: 'another', check_lease_until: hour, check_due_at: hour })
      .execute()
    release()
    await checks[Symbol.asyncDispose]()
    expect(await world.read(id)).toMatchObject({
      state: 'pending',
      version: 1,
      check_owner: 'another',
    })
  })

  test('apply nothing when the listing has changed meanwhile, and run again', async () => {
    const { origin, hold, asked, release } = await heldOrigin()
    await using _origin = origin
    const { id, owner, resource } = await seed(`${origin.url}/a`)
    hold(requiredBy(resource, owner))
    await using _checks = world.start()
    await asked()
    await inTransaction(world.store.db, async (transaction) => {
      const listing = await lockListing(transaction, id)
      const to = { cause: 'quarantine', state: 'quarantined', ownerAccount: owner } as const
      if (listing) await changeListing(transaction, listing, to)
    })
    release()
    expect(await untilOutcome(world, id, 'origin_verified')).toMatchObject({ version: 3 })
    expect(origin.seen).toHaveLength(2)
  })

  test('run again when a settlement asks for it while they run', async () => {
    const { origin, hold, asked, release } = await heldOrigin()
    await using _origin = origin
    const { id, owner, resource } = await seed(`${origin.url}/a`)
    hold(requiredBy(resource, owner))
    await using _checks = world.start({ everyMs: 3_600_000 })
    await asked()
    await inTransaction(world.store.db, (transaction) => requestCheck(transaction, id))
    release()
    const listing = await untilOutcome(world, id, 'origin_verified')
    expect(msUntil(listing.check_due_at)).toBeLessThan(61_000)
  })

  test('that a stopping process began are given back', async () => {
    const { origin, hold, asked } = await heldOrigin()
    await using _origin = origin
    const { id, owner, resource } = await seed(`${origin.url}/a`)
    hold(requiredBy(resource, owner))
    const checks = world.start()
    await asked()
    await checks[Symbol.asyncDispose]()
    const listing = await world.read(id)
    expect(listing).toMatchObject({ state: 'pending', check_tries: 0, check_lease_until: null })
    expect(msUntil(listing.check_due_at)).toBeLessThan(0)
  })

  test('start at once when they are woken', async () => {
    await using origin = await openOrigin(answers(500))
    await using checks = world.start({ everyMs: 3_600_000 })
    const { id, owner, resource } = await seed(`${origin.url}/a`)
    origin.answer = asks(requiredBy(resource, owner))
    checks.wake()
    await untilOutcome(world, id, 'origin_verified')
  })

  test('send the declared examples, and say who asks', async () => {
    await using origin = await openOrigin(answers(404))
    const owner = address()
    const { id } = await world.seed({
      owner,
      content: httpContent(`${origin.url}/weather/:city`, owner, {
        method: 'POST',
        bazaar: {
          ...bazaarOf('POST', {
            bodyType: 'json',
            body: { days: 2 },
            pathParams: { city: '../é' },
            queryParams: { unit: 'K' },
            headers: { host: 'internal' },
          }),
          routeTemplate: '/weather/:city',
        },
      }),
    })
    await makeDue(world.store, id)
    await using _checks = world.start()
    await untilOutcome(world, id, 'origin_not_payment_required')
    expect(origin.seen).toMatchObject([
      {
        method: 'POST',
        url: '/weather/..%2F%C3%A9?unit=K',
        body: '{"days":2}',
        headers: {
          host: new URL(origin.url).host,
          'content-type': 'application/json',
          'user-agent': 'svc-origin-check',
        },
      },
    ])
  })
})
