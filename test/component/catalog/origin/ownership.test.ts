import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { address, optionTo, versionsOf } from '../seed-listings.ts'
import { pendingAt, publishedAt, quarantinedAt } from './listing-states.ts'
import {
  answers,
  asks,
  claim,
  openOrigin,
  openWorld,
  requiredBy,
  untilOutcome,
  type World,
} from './origin-world.ts'

/* The rows of the transition table about settlements to another payee. */

describe('the owner of a listing', () => {
  let world: World
  beforeAll(async () => {
    world = await openWorld()
  })
  // So that no later test checks what this one leaves.
  afterEach(() => world.store.db.deleteFrom('listings').execute())
  afterAll(() => world[Symbol.asyncDispose]())

  const versions = (id: string) => versionsOf(world.store, id)

  test.each(['pending', 'published', 'quarantined'] as const)(
    '%s, other payTo settles, origin names it and not the owner: published under the new owner',
    async (state) => {
      await using origin = await openOrigin(answers(500))
      const at = { pending: pendingAt, published: publishedAt, quarantined: quarantinedAt }[state]
      const { id, resource } = await at(world, origin)
      const { version } = await world.read(id)
      const successor = address()
      origin.answer = asks(requiredBy(resource, successor))
      const transaction = await claim(world.store, id, successor)
      await using _checks = world.start()
      expect(await untilOutcome(world, id, 'origin_transferred')).toMatchObject({
        state: 'published',
        trust: 'origin_verified',
        owner: successor,
        version: version + 1,
        content: { accepts: [{ payTo: successor }] },
      })
      expect((await versions(id)).at(-1)).toMatchObject({
        cause: 'ownership_transfer',
        owner: successor,
        transaction,
      })
    },
  )

  test('published, other payTo settles, origin names both: the owner stays', async () => {
    await using origin = await openOrigin(answers(500))
    const { id, owner, resource } = await publishedAt(world, origin)
    const other = address()
    const accepts = [optionTo(other), optionTo(owner)]
    origin.answer = asks(requiredBy(resource, owner, { accepts }))
    await claim(world.store, id, other)
    await using _checks = world.start()
    expect(await untilOutcome(world, id, 'origin_verified')).toMatchObject({ owner, version: 2 })
  })

  test('published, other payTo settles, origin names the owner only: the owner stays', async () => {
    await using origin = await openOrigin(answers(500))
    const { id, owner } = await publishedAt(world, origin)
    await claim(world.store, id, address())
    await using _checks = world.start()
    expect(await untilOutcome(world, id, 'origin_verified')).toMatchObject({ owner, version: 2 })
  })
})
