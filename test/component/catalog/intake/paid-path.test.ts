import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { httpBazaar } from '../../../support/catalog/declarations.ts'
import { type IntakeWorld, OTHER_PAYEE, openIntakeWorld, type Settled } from './intake-world.ts'

const STORIES = 'https://api.example.com/stories'

/** A payment for a URL of a template; the server has not filled in its parameter. */
function paidFor(path: string, changes: Settled = {}, method = 'GET'): Settled {
  const info = { input: { type: 'http', method } }
  const bazaar = httpBazaar({ info, schema: { type: 'object' } })
  return {
    ...changes,
    declaration: {
      resource: { url: STORIES + path },
      bazaar: { ...bazaar, routeTemplate: '/stories/:id' },
    },
  }
}

describe('the path that a payment was for', () => {
  let world: IntakeWorld
  beforeAll(async () => {
    world = await openIntakeWorld()
  })
  afterEach(() => world.empty())
  afterAll(() => world[Symbol.asyncDispose]())

  const keptPath = async () => (await world.listing()).paid_path

  test('is kept for the next check, without its query, and is in nothing that is shown', async () => {
    const outcome = await world.record(paidFor('/moby-dick?key=secret'))
    expect(outcome.resource).toBe(`${STORIES}/:id`)
    expect(await keptPath()).toBe('/stories/moby-dick')
    const { paid_path: _, ...shown } = await world.listing()
    const versions = await world.versions()
    expect(
      JSON.stringify([shown, versions], (_key, value) => (typeof value === 'bigint' ? 0 : value)),
    ).not.toMatch(/moby|secret/)
  })

  test.each([
    ['fits the template not', paidFor('/moby/dick')],
    ['names the parameter only', paidFor('/:id')],
    ['is of another method', paidFor('/moby-dick', {}, 'DELETE')],
  ])('is not kept when it %s', async (_, settled) => {
    await world.record(settled)
    expect(await keptPath()).toBeNull()
  })

  test('is that of the last payment to the owner', async () => {
    await world.record(paidFor('/moby-dick'))
    await world.afterCheck('published')
    await world.record(paidFor('/emma'))
    expect(await keptPath()).toBe('/stories/emma')
    await world.record(paidFor('/dracula', { payTo: OTHER_PAYEE }))
    expect(await keptPath()).toBe('/stories/emma')
    expect(await world.claims()).toMatchObject([{ paid_path: '/stories/dracula' }])
  })
})

describe('a payment for a quarantined listing', () => {
  let world: IntakeWorld
  beforeAll(async () => {
    world = await openIntakeWorld()
  })
  afterAll(() => world[Symbol.asyncDispose]())

  test('is answered with the time when its origin is asked again', async () => {
    await world.record()
    await world.afterCheck('quarantined')
    const { status, code, reason } = await world.record()
    const { check_due_at, last_outcome } = await world.listing()
    expect({ status, code }).toEqual({
      status: 'processing',
      code: 'awaiting_origin_verification',
    })
    expect(reason).toBe(
      `The listing is quarantined. Its origin is asked again at ${check_due_at?.toISOString()}, or within seconds of it.`,
    )
    expect(last_outcome).toMatchObject({ reason })
  })

  test('of another payee is answered as before: the listing is not its own', async () => {
    const { code, reason } = await world.record({ payTo: OTHER_PAYEE })
    expect(code).toBe('bazaar_owner_conflict')
    expect(reason).not.toContain('asked again')
  })
})
