import { request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { itemKeyOf } from '../../../src/catalog/items/item-key.ts'
import { content, putListing } from '../../support/catalog-listing.ts'
import { type DiscoveryWorld, openDiscovery } from './discovery-world.ts'

/* What pages of other origins may read of the catalog, and how its answers are compressed. */

const origin = 'https://dashboard.example'
const opened = new AsyncDisposableStack()
let world: DiscoveryWorld
let paths: readonly string[]

const long = (at: number) =>
  content(`https://shop.example/long/${at}`, { description: `${at} `.repeat(800) })

beforeAll(async () => {
  world = opened.use(await openDiscovery())
  const [first] = await Promise.all(
    [0, 1, 2].map((at) => putListing(world.store.db, { content: long(at) })),
  )
  world.search.answer = {
    ...{ itemKeys: [itemKeyOf(long(0))], method: 'hybrid', recognised: [], revision: 1 },
    ...{ lowConfidence: false, partialResults: false },
  }
  const list = '/discovery/resources'
  paths = [list, `${list}/${first}`, `${list}/${first}/versions`, '/discovery/search?query=long']
})
afterAll(() => opened.disposeAsync())

/** Without the headers that `fetch` adds, and without decompression. */
async function send(method: string, path: string, headers: Record<string, string> = {}) {
  const { promise, resolve, reject } = Promise.withResolvers<import('node:http').IncomingMessage>()
  request(world.baseUrl + path, { method, headers }, resolve)
    .on('error', reject)
    .end()
  const response = await promise
  return { status: response.statusCode, headers: response.headers, body: await buffer(response) }
}

describe('a page of another origin', () => {
  test.each([0, 1, 2, 3])('may read route %i, also a refusal, without credentials', async (at) => {
    const path = paths[at] ?? ''
    for (const [asked, status] of [
      [path, 200],
      [`${path}${path.includes('?') ? '&' : '?'}unknown=1`, 400],
    ] as const) {
      const answer = await send('GET', asked, { origin })
      expect(answer.status).toBe(status)
      expect(answer.headers['access-control-allow-origin']).toBe('*')
      expect(answer.headers).not.toHaveProperty('access-control-allow-credentials')
    }
    const preflight = { origin, 'access-control-request-method': 'GET' }
    expect((await send('OPTIONS', path, preflight)).status).toBe(204)
  })

  test('learns which methods a path with an id has', async () => {
    const answer = await send('POST', paths[1] ?? '')
    expect(answer.status).toBe(405)
    expect(answer.headers.allow).toBe('GET, HEAD, OPTIONS')
  })
})

describe('compression', () => {
  const decode = { br: brotliDecompressSync, gzip: gunzipSync } as const

  test('of answers that differ gives each caller its own, all at once', async () => {
    const asked = Array.from({ length: 24 }, (_, at) => ({
      path: `/discovery/resources?limit=1&offset=${at % 3}`,
      coding: at % 2 === 0 ? ('br' as const) : ('gzip' as const),
    }))
    const answers = await Promise.all(
      asked.map(({ path, coding }) => send('GET', path, { 'accept-encoding': coding })),
    )
    for (const [at, { headers, body }] of answers.entries()) {
      const { coding } = asked[at] ?? { coding: 'br' }
      expect(headers).toMatchObject({
        ...{ 'content-encoding': coding, vary: 'Accept-Encoding' },
        'content-type': 'application/json; charset=utf-8',
      })
      const { items } = JSON.parse(decode[coding](body).toString())
      expect(items).toHaveLength(1)
      expect(items[0].description.slice(0, 2)).toBe(`${expectedOrder[at % 3]} `)
    }
  })

  let expectedOrder: string[]
  beforeAll(async () => {
    const { body } = await world.get('/discovery/resources')
    expectedOrder = body.items.map(({ description }: { description: string }) => description[0])
  })
})
