import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { itemKeyOf } from '../../../../../src/catalog/items/item-key.ts'
import type { ListingContent } from '../../../../../src/catalog/listing.ts'
import { inspect } from '../../../../../src/commands/buying/catalog/inspect.ts'
import { search } from '../../../../../src/commands/buying/catalog/search.ts'
import { content, putListing } from '../../../../support/catalog-listing.ts'
import { runHere } from '../../../../unit/commands/command-line/run-here.ts'
import { type DiscoveryWorld, openDiscovery } from '../../../catalog/discovery-world.ts'
import { answers, paidServer } from '../paid-server.ts'

/* `svc search` and `svc inspect` on the catalog's routes over a real store. */

const opened = new AsyncDisposableStack()
let world: DiscoveryWorld
let id: string
const url = 'https://api.example/weather'
/** A seller that clears the screen, prints a line of its own, reverses text, and hides some. */
const hostile = 'Sunny\u001b[2J\n\nsvc search: pay more\u202edrowssap\u200b'

const answer = (found: readonly ListingContent[]) => {
  world.search.answer = {
    ...{ itemKeys: found.map(itemKeyOf), method: 'hybrid', recognised: [], revision: 1 },
    ...{ lowConfidence: false, partialResults: false },
  }
}

let weather: ListingContent

beforeAll(async () => {
  world = opened.use(await openDiscovery())
  weather = content(url, { description: hostile })
  const put = await putListing(world.store.db, { content: weather })
  id = String(put)
  answer([weather])
})
afterAll(() => opened.disposeAsync())

const at = () => ['--facilitator', world.baseUrl]
const resultOf = (out: string) => JSON.parse(out)

describe('svc search', () => {
  test('asks the catalog, and prints what it has as JSON', async () => {
    const filters = ['--network', 'stellar:testnet', '--limit', '3']
    const { code, out, err } = await runHere(
      search,
      'the',
      'weather',
      ...filters,
      ...at(),
      '--json',
    )
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(resultOf(out)).toMatchObject({
      catalog: world.baseUrl,
      resources: [{ resource: url, listings: [id], prices: [{ network: 'stellar:testnet' }] }],
      hasMore: false,
      isUnsure: false,
    })
    expect(world.search.requests.at(-1)).toMatchObject({
      query: 'the weather',
      filters: { network: 'stellar:testnet' },
    })
  })

  test('passes the limit on: nothing is known of the dollar price of this token', async () => {
    const { code } = await runHere(search, 'weather', '--max', '0.05', ...at())
    expect(code).toBe(1)
    expect(world.search.requests.at(-1)).toMatchObject({ filters: { maxPrice: '0.05' } })
  })

  test('prints a table for a person, with the words of sellers behind a bar', async () => {
    const { code, out, err } = await runHere(search, 'weather', ...at())
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toMatch(new RegExp(`^1\\. GET ${url}\\n`))
    expect(out).toContain(`  listing  ${id}\n`)
    expect(out).toContain('  | Sunny[2J\n  | svc search: pay moredrowssap\n')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: none of them may be left
    expect(out).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e\u200b]/)
    expect(out).not.toMatch(/^svc/m)
  })

  test('takes the URL of the catalog from the environment', async () => {
    process.env['FACILITATOR_URL'] = world.baseUrl
    try {
      expect(await runHere(search, 'weather')).toMatchObject({ code: 0 })
    } finally {
      delete process.env['FACILITATOR_URL']
    }
  })

  test('exits 1 when nothing is found', async () => {
    answer([])
    const ran = await runHere(search, 'nothing', ...at())
    answer([weather])
    expect(ran).toMatchObject({ code: 1, out: '' })
    expect(ran.err).toContain('has nothing that answers this')
  })

  test.each([
    { args: [], says: 'expected words to search for' },
    { args: [' '], says: 'expected words to search for' },
    { args: ['x', '--max', 'much'], says: '--max is an amount of US dollars such as 0.05' },
    { args: ['x', '--limit', '51'], says: '--limit is a whole number from 1 to 50' },
    { args: ['x', '--facilitator', 'ftp://x'], says: 'starts with https:// or http://' },
    { args: ['x', '--facilitator', 'http://x', '--catalog', 'http://x'], says: 'the same flag' },
  ])('exits 64 for $args', async ({ args, says }) => {
    const { code, out, err } = await runHere(search, ...args, '--json')
    expect(code).toBe(64)
    expect(resultOf(out)).toMatchObject({ error: 'usage', message: expect.stringContaining(says) })
    expect(err).toContain(says)
  })

  test.each([
    { when: 'is none', first: answers(200, undefined, '<h1>Shop</h1>'), error: 'no_catalog' },
    { when: 'lies', first: answers(200, undefined, '{"resources":7}'), error: 'no_catalog' },
    {
      when: 'is down',
      first: answers(503, undefined, '{"error":"\\u001bdown"}'),
      error: 'refused',
    },
  ])('exits 1 when the catalog $when', async ({ first, error }) => {
    await using server = await paidServer(first, first)
    const { origin } = new URL(server.url)
    const { code, out, err } = await runHere(search, 'x', '--facilitator', origin, '--json')
    expect(code).toBe(1)
    expect(resultOf(out)).toMatchObject({ error })
    expect(err).not.toContain('\u001b')
  })

  test('exits 1 when nothing listens there', async () => {
    const { code, out } = await runHere(search, 'x', '--catalog', 'http://127.0.0.1:1', '--json')
    expect(code).toBe(1)
    expect(resultOf(out)).toMatchObject({ error: 'unreachable' })
  })
})

describe('svc inspect', () => {
  test.each([
    { by: 'its id', subject: () => id, state: 'published' },
    { by: 'its URL', subject: () => url, state: null },
    { by: 'its URL with a query', subject: () => `${url}?city=Bremen#now`, state: null },
  ])('shows a listing by $by', async ({ subject, state }) => {
    const { code, out, err } = await runHere(inspect, subject(), ...at(), '--json')
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(resultOf(out)).toMatchObject({ resource: url, listings: [id], state })
  })

  test('shows what the seller says behind a bar', async () => {
    const { code, out } = await runHere(inspect, id, ...at())
    expect(code).toBe(0)
    expect(out).toMatch(new RegExp(`^GET ${url}\\n {2}state`))
    expect(out).toContain('  | input:\n')
    expect(out).not.toMatch(/^svc/m)
  })

  test.each([
    { subject: 'https://api.example/other', error: 'not_found' },
    { subject: '00000000-0000-4000-8000-000000000000', error: 'not_found' },
  ])('exits 1 for $subject, which is not listed', async ({ subject, error }) => {
    const { code, out } = await runHere(inspect, subject, ...at(), '--json')
    expect(code).toBe(1)
    expect(resultOf(out)).toMatchObject({ error })
  })

  test.each([[], ['weather'], [url, url]])('exits 64 for %s %s', async (...args) => {
    const { code, out } = await runHere(inspect, ...args, '--json')
    expect(code).toBe(64)
    expect(resultOf(out)).toMatchObject({ error: 'usage' })
  })
})
