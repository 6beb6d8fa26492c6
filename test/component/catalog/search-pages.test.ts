import { createHash } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it, test } from 'vitest'
import { type DiscoveryWorld, openDiscovery } from './discovery-world.ts'
import { answer, putRanked, rankedKeys, urlOf, urlsOf } from './ranked-listings.ts'

const opened = new AsyncDisposableStack()
let world: DiscoveryWorld
let monotonicMs = 0

beforeAll(async () => {
  world = opened.use(await openDiscovery({ monotonic: () => monotonicMs }))
  await putRanked(world.store)
})
beforeEach(() => {
  world.search.answer = answer()
  world.search.requests.length = 0
})
afterAll(() => opened.disposeAsync())

const search = (query: Record<string, string>, of = world) => of.ask('/discovery/search', query)
const range = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, at) => urlOf(from + at))

describe('pages of a search', () => {
  const page = async (cursor?: string, of = world) =>
    search({ query: 'pages', limit: '10', ...(cursor !== undefined && { cursor }) }, of)

  it('come from the ranking of the first, while the index moves on', async () => {
    const first = await page()
    expect(urlsOf(first.body)).toEqual(range(0, 10))
    const { cursor } = first.body.pagination
    expect(cursor.length).toBeLessThanOrEqual(512)
    world.search.answer = answer({ itemKeys: rankedKeys.toReversed(), revision: 8 })
    const second = await page(cursor)
    expect(urlsOf(second.body)).toEqual(range(10, 20))
    expect(second.body.svc.revision).toBe(7)
    const third = await page(second.body.pagination.cursor)
    expect(urlsOf(third.body)).toEqual(range(20, 25))
    expect(third.body.pagination.cursor).toBeNull()
    expect(world.search.requests).toHaveLength(1)
  })

  it('may have another size than the first', async () => {
    const { cursor } = (await page()).body.pagination
    const { body } = await search({ query: 'pages', limit: '2', cursor })
    expect(urlsOf(body)).toEqual(range(10, 12))
  })

  it('are ranked again by a replica that has not ranked the first, at the same revision', async () => {
    await using replica = await openDiscovery({ store: world.store })
    replica.search.answer = answer()
    const { cursor } = (await page()).body.pagination
    expect(urlsOf((await page(cursor, replica)).body)).toEqual(range(10, 20))
    expect(replica.search.requests).toHaveLength(1)
  })

  test.each([
    { when: 'its index is of another revision', next: answer({ revision: 8 }) },
    {
      when: 'the same revision ranks otherwise, as without embeddings',
      next: answer({ itemKeys: rankedKeys.toReversed() }),
    },
  ])('expire in a replica that has not ranked the first when $when', async ({ next }) => {
    await using replica = await openDiscovery({ store: world.store })
    replica.search.answer = next
    const { cursor } = (await page()).body.pagination
    const { status, body } = await page(cursor, replica)
    expect({ status, code: body.error.code }).toEqual({
      status: 400,
      code: 'search_cursor_expired',
    })
  })

  it('expire after ten minutes, once the index has moved on', async () => {
    const { cursor } = (await page()).body.pagination
    world.search.answer = answer({ revision: 8 })
    monotonicMs += 599_999
    expect((await page(cursor)).status).toBe(200)
    monotonicMs += 1
    expect((await page(cursor)).body.error.code).toBe('search_cursor_expired')
    world.search.answer = answer()
    expect(urlsOf((await page(cursor)).body)).toEqual(range(10, 20))
  })

  it('are refused with the cursor of another query, or of other filters', async () => {
    const { cursor } = (await page()).body.pagination
    for (const other of [
      { query: 'other' },
      { query: 'pages', type: 'http' },
      { query: 'Pages' },
    ]) {
      const { body } = await search({ ...other, cursor })
      expect(body.error.code).toBe('search_invalid_cursor')
    }
  })

  it('are refused with a cursor that was changed, cut or lengthened in any place', async () => {
    const { cursor } = (await page()).body.pagination
    const forged = [...cursor].map((character, at) => {
      const other = character === 'A' ? 'B' : 'A'
      return `${cursor.slice(0, at)}${other}${cursor.slice(at + 1)}`
    })
    const codes = new Set<string>()
    for (const each of [...forged, cursor.slice(0, -1), `${cursor}A`, `${cursor}=`, ` ${cursor}`]) {
      codes.add((await page(each)).body.error?.code ?? `accepted ${each}`)
    }
    expect([...codes]).toEqual(['search_invalid_cursor'])
  })

  it('are refused with a cursor that another secret signed', async () => {
    const bytes = Buffer.from((await page()).body.pagination.cursor, 'base64url')
    const signed = bytes.subarray(0, -32)
    const signature = createHash('sha256').update(signed).digest()
    const forged = Buffer.concat([signed, signature]).toString('base64url')
    expect((await page(forged)).body.error.code).toBe('search_invalid_cursor')
  })
})
