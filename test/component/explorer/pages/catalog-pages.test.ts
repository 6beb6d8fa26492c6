import { Keypair } from '@stellar/stellar-sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { StoreUnavailable } from '../../../../src/platform/database/postgres/unavailable.ts'
import { content, option, putListing, setState } from '../../../support/catalog-listing.ts'
import { startCatalogServer } from '../../../support/explorer/catalog-server.ts'
import { startPagesServer } from '../../../support/explorer/pages-server.ts'
import { hostileTexts } from '../../../support/explorer/payment-records.ts'
import { type MarketServer, startMarketServer } from './market-server.ts'

const opened = new AsyncDisposableStack()
let market: MarketServer
let ids: readonly string[]
let baseUrl: string

beforeAll(async () => {
  market = opened.use(await startMarketServer({ payments: 200, hasCatalog: true }))
  ids = market.listings
  baseUrl = market.baseUrl
})
afterAll(() => opened.disposeAsync())

async function get(path: string, from = baseUrl) {
  const answer = await fetch(from + path)
  return { status: answer.status, headers: answer.headers, html: await answer.text() }
}

const linksIn = (html: string): readonly string[] =>
  [...html.matchAll(/href="([^"]+)"/g)].map(([, href = '']) => href.replaceAll('&amp;', '&'))

describe('the page of the catalog', () => {
  it('lists what is published, with links to each listing and its seller', async () => {
    const { status, html } = await get('/ui/catalog')
    expect(status).toBe(200)
    const links = linksIn(html)
    for (const id of ids) expect(links).toContain(`/ui/catalog/${id}`)
    const [service] = market.market.services
    expect(links.some((href) => href.startsWith(`/ui/sellers/${service?.payTo}`))).toBe(true)
    expect(html).toContain('10 listings')
    expect(html).toMatch(/aria-label="\d+ settlements? in 30 days/)
  })

  it('answers a question, and says what it took for a condition', async () => {
    const { html } = await get('/ui/catalog?q=weather+forecast+under+5+cents')
    expect(html).toContain('Tide Weather')
    expect(html).toContain('maxPrice=0.05 USD')
    expect(html).toContain('value="weather forecast under 5 cents"')
  })

  it.each([
    ['type=mcp', ['lookup'], 'Tide Weather'],
    ['trust=domain_verified', ['Tide Weather'], 'Parcel OCR'],
    ['maxPrice=0.02', ['Tide Weather', 'Parcel OCR'], 'Quorum Search'],
    ['scheme=upto', ['Tide Weather'], 'Parcel OCR'],
    ['asset=USDC', [], 'no such text'],
    ['network=stellar:testnet', ['Tide Weather'], 'no such text'],
    ['q=weather&trust=origin_verified', ['Tide Weather'], 'Quorum Search'],
  ])('filters by %s', async (query, present, absent) => {
    const { status, html } = await get(`/ui/catalog?${query}`)
    expect(status).toBe(200)
    for (const name of present) expect(html).toContain(`<bdi>${name}</bdi>`)
    expect(html).not.toContain(`<bdi>${absent}</bdi>`)
  })

  it('pages through a list, each listing once', async () => {
    const { db } = market.store
    const payTo = Keypair.random().publicKey()
    const more = await Promise.all(
      Array.from({ length: 45 }, (_, at) =>
        putListing(db, {
          content: content(`https://many.example/${payTo}/${at}`, {
            accepts: [option({ payTo })],
          }),
        }),
      ),
    )
    const seen: string[] = []
    let next: string | undefined = `/ui/catalog?payTo=${payTo}`
    while (next !== undefined) {
      const links = linksIn((await get(next)).html)
      seen.push(
        ...new Set(
          links.flatMap((href) => /^\/ui\/catalog\/([0-9a-f-]{36})$/.exec(href)?.[1] ?? []),
        ),
      )
      const offset = seen.length
      next = links.find((href) => href.includes(`offset=${offset}`))
    }
    expect(seen.toSorted()).toEqual(more.toSorted())
  })

  it.each([
    ['maxPrice=cheap', 'maxPrice'],
    ['payTo=nobody', 'payTo'],
    ['offset=-1', 'offset'],
    ['q=weather&cursor=forged', 'cursor'],
  ])('refuses %s, and says why', async (query, names) => {
    const { status, html } = await get(`/ui/catalog?${query}`)
    expect(status).toBe(400)
    expect(html).toContain(names)
  })
})

describe('the page of a listing', () => {
  it('shows prices, inputs, outputs, the example, versions and who vouches', async () => {
    const { status, html } = await get(`/ui/catalog/${ids[0]}`)
    expect(status).toBe(200)
    for (const text of [
      'Latitude in degrees',
      'hours[].rain',
      'required',
      'GET https://api.example.com/tide-weather?lat=53.55',
      'Hamburg',
      'price changed',
      'at most ',
      'Domain verified',
    ]) {
      expect(html).toContain(text)
    }
  })

  it('leads to its payments and its seller, which lead back', async () => {
    const links = linksIn((await get(`/ui/catalog/${ids[0]}`)).html)
    const payment = links.find((href) => /^\/ui\/payments\/[0-9a-f]{64}$/.test(href))
    const seller = links.find((href) => href.startsWith('/ui/sellers/G'))
    expect(linksIn((await get(payment!)).html)).toContain(`/ui/catalog/${ids[0]}`)
    const sold = linksIn((await get(seller!)).html).find((href) => href.startsWith('/ui/catalog?'))
    expect(linksIn((await get(sold!)).html)).toContain(`/ui/catalog/${ids[0]}`)
  })

  it('says in which state it is when it is not published', async () => {
    const { db } = market.store
    const id = await putListing(db, {
      content: content(`https://gone.example/${crypto.randomUUID()}`),
    })
    await setState(db, id, 'quarantined')
    const { html } = await get(`/ui/catalog/${id}`)
    expect(html).toContain('It is in no list and no search now.')
  })

  it.each(['0b7f1c52-3b1e-4a52-9a0e-3f1f6f6d6f0a', 'nothing', '..%2f..%2fhealth'])(
    'is not there for %s',
    async (id) => {
      expect((await get(`/ui/catalog/${id}`)).status).toBe(404)
    },
  )

  it.each(hostileTexts.map((text) => text.replaceAll('\0', '')))(
    'shows %j as text',
    async (text) => {
      const { db } = market.store
      const named = { [text]: { type: 'string', description: text, enum: [text] } }
      const id = await putListing(db, {
        content: content(`https://hostile.example/${crypto.randomUUID()}/:x`, {
          serviceName: text,
          description: text,
          tags: [text],
          bazaar: {
            info: {
              input: { type: 'http', method: 'GET', queryParams: { [text]: text } },
              output: { example: { [text]: text } },
            },
            schema: {
              properties: { input: { properties: { queryParams: { properties: named } } } },
            },
          },
        }),
      })
      for (const path of [`/ui/catalog/${id}`, `/ui/catalog?q=${encodeURIComponent(text)}`]) {
        const { status, html } = await get(path)
        expect(status).toBe(200)
        expect(html).not.toContain('<script>alert')
        expect(html).not.toContain('<img')
        expect(html).not.toMatch(/[\u202e\u200b]/)
      }
    },
  )
})

describe('without an answer of the catalog', () => {
  it('says that there is none, and the other pages do not lead to it', async () => {
    await using alone = await startPagesServer({ db: market.store.db })
    const { status, html } = await get('/ui/catalog', alone.baseUrl)
    expect(status).toBe(404)
    expect(html).toContain('This explorer has no catalog')
    expect(linksIn((await get('/ui/', alone.baseUrl)).html)).not.toContain('/ui/catalog')
  })

  it('says that it does not answer, while payments are shown', async () => {
    const down = 'http://127.0.0.1:9'
    await using alone = await startPagesServer({ db: market.store.db, catalogUrl: down })
    for (const path of ['/ui/catalog', '/ui/catalog?q=weather', `/ui/catalog/${ids[0]}`]) {
      const { status, headers, html } = await get(path, alone.baseUrl)
      expect(status).toBe(503)
      expect(headers.get('retry-after')).not.toBeNull()
      expect(html).toContain('The catalog does not answer')
    }
    expect((await get('/ui/payments', alone.baseUrl)).status).toBe(200)
  })

  it('says so when the database of the explorer is away', async () => {
    await using catalog = await startCatalogServer(market.store.db)
    await using alone = await startPagesServer({
      db: market.store.db,
      catalogUrl: catalog.baseUrl,
      readsThrough: (reads) => ({
        ...reads,
        listingActivity: () => Promise.reject(new StoreUnavailable(new Error('away'))),
      }),
    })
    expect((await get('/ui/catalog', alone.baseUrl)).status).toBe(503)
  })
})
