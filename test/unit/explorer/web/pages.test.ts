import { afterAll, describe, expect, test } from 'vitest'
import type { PaymentRecord } from '../../../../src/explorer/records.ts'
import { memoryPages } from '../../../support/explorer/memory-pages.ts'
import { hostileTexts, paymentRecord } from '../../../support/explorer/payment-records.ts'

const now = Date.parse('2026-09-17T12:00:30.000Z')
const hashOf = (n: number) => n.toString(16).padStart(64, '0')
const seller = 'GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVN'
const payments: PaymentRecord[] = Array.from({ length: 120 }, (_, n) =>
  paymentRecord({
    ledger: 51_000 + n,
    txHash: hashOf(n),
    ...(n === 119 && { buyer: seller }),
    ...(n === 116 && { resource: 'https://hostile.example/' }),
    ...(n === 118 && { facilitator: null, confidence: 'x402-shaped' }),
    ...(n === 117 && { scheme: 'upto', ceiling: '90000000', ceilingDecimal: '9.0000000' }),
  }),
)
const full = memoryPages({ payments, now })
const empty = memoryPages({ payments: [], now })
const failing = memoryPages({ payments, now, isDown: true })
const hostile = memoryPages({
  now,
  payments: hostileTexts.map((text, n) =>
    paymentRecord({
      txHash: hashOf(n),
      ledger: 52_000 + n,
      serviceName: text,
      resource: text,
      assetCode: text,
      asset: text,
      facilitator: { id: `f${n}`, displayName: text },
      memo: text,
    }),
  ),
})
afterAll(async () => {
  for (const server of [full, empty, failing, hostile]) await server[Symbol.asyncDispose]()
})

const { assetContract } = paymentRecord()
const paths = [
  '/ui/',
  '/ui/?window=all',
  '/ui/payments',
  '/ui/sellers',
  `/ui/sellers/${seller}`,
  '/ui/facilitators',
  '/ui/facilitators/acme',
  `/ui/asset/${assetContract}`,
]
const count = (html: string, part: string | RegExp) => html.split(part).length - 1

describe.each(paths)('the page %s', (path) => {
  test('has a language, a title, one h1, landmarks and a way to skip to its content', async () => {
    const { status, html } = await full.get(path)
    expect(status).toBe(200)
    expect(html).toMatch(/^<!doctype html><html lang="en">/)
    expect(html).toMatch(/<title>[^<]+ · svc explorer<\/title>/)
    for (const part of ['<h1', '<main', '<header', '<footer', 'class="skip"', 'role="search"']) {
      expect([part, count(html, part)]).toEqual([part, 1])
    }
  })

  test('names each table and each column', async () => {
    const { html } = await full.get(path)
    expect(count(html, '<caption')).toBe(count(html, '<table'))
    expect(count(html, /<th(?= |>)/)).toBe(count(html, /<th [^>]*scope="(?:col|row)"/))
  })

  test('runs and styles nothing inline, and loads from its own origin only', async () => {
    const { html, headers } = await full.get(path)
    expect(headers['content-security-policy']).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    )
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'same-origin',
    })
    expect(html).not.toMatch(/<style| style=| on[a-z]+=|<script(?![^>]* src="\/ui\/assets\/)/)
    expect(html).not.toMatch(/(?:src|href)="(?!\/|#)/)
  })

  test('is told by a tag, and not sent again while it is the same', async () => {
    const { headers } = await full.get(path)
    expect(headers['cache-control']).toBe('public, max-age=2, must-revalidate')
    const again = await full.get(path, { 'if-none-match': String(headers['etag']) })
    expect([again.status, again.html]).toEqual([304, ''])
  })

  test('says with status 503 that the store cannot be reached, in the same layout', async () => {
    const { status, headers, html } = await failing.get(path)
    expect(status).toBe(503)
    expect(headers).toMatchObject({ 'retry-after': '5', 'cache-control': 'no-store' })
    expect(html).toContain('<h1>The explorer cannot reach its database</h1>')
    expect(html).toContain('<footer')
  })

  test('shows hostile text as text', async () => {
    const { html } = await hostile.get(path)
    expect(html).not.toMatch(/<script>|<img|\u202e|\u200b/)
  })
})

describe('the name that a catalog has for a seller', () => {
  const attacked = memoryPages({
    now,
    payments: [
      paymentRecord({
        txHash: hashOf(7),
        serviceName: 'Honest Shop',
        resource: 'https://s.example/',
      }),
    ],
  })
  afterAll(() => attacked[Symbol.asyncDispose]())
  const { seller: payTo } = paymentRecord({ txHash: hashOf(7) })

  test.each([`/ui/payments/${hashOf(7)}`, '/ui/payments', `/ui/sellers/${payTo}`, '/ui/sellers'])(
    'is a claim beside its address on %s',
    async (path) => {
      const { html } = await attacked.get(path)
      const text = html.replaceAll(/<[^>]*>/g, '')
      expect(text.split('Honest Shop').length).toBeGreaterThan(1)
      for (const before of text.split('Honest Shop').slice(0, -1)) {
        expect(before).toMatch(/claimed by $/)
      }
    },
  )
})

test('a payment shows the resource that a catalog lists for its seller as text, not as a link', async () => {
  const { html } = await full.get(`/ui/payments/${hashOf(116)}`)
  expect(html).toContain('<bdi>https://hostile.example/</bdi>')
  expect(html).not.toContain('href="https://hostile.example')
})

test('the root leads to the overview', async () => {
  const { status, headers } = await full.get('/')
  expect([status, headers['location']]).toEqual([302, '/ui/'])
})

test('a page that there is not is a page with status 404', async () => {
  const { status, html } = await full.get('/ui/nothing')
  expect(status).toBe(404)
  expect(html).toContain('<h1>There is no such page</h1>')
})

test.each([
  '/ui/payments?scheme=cash',
  '/ui/payments?seller=me',
  '/ui/payments?network=stellar:pubnet',
  '/ui/?window=1y',
  '/ui/sellers?registered=maybe',
  '/ui/sellers?offset=-1',
])('%s is refused as a page with status 400', async (path) => {
  const { status, html } = await full.get(path)
  expect(status).toBe(400)
  expect(html).toContain('<h1>')
})

test.each(['/ui/', '/ui/payments', '/ui/sellers', '/ui/facilitators'])(
  '%s of an empty explorer says so',
  async (path) => {
    const { status, html } = await empty.get(path)
    expect(status).toBe(200)
    expect(html).toContain('class="empty"')
  },
)

describe('a payment in the feed', () => {
  test('says in words that it is a self-payment, only x402-shaped, or upto', async () => {
    const { html } = await full.get('/ui/payments')
    expect(rowOf(html, 119)).toContain('self-payment')
    expect(rowOf(html, 118)).toContain('x402-shaped')
    expect(rowOf(html, 117)).toContain('of at most 9')
    expect(rowOf(html, 116)).not.toMatch(/self-payment|x402-shaped|of at most/)
  })

  test('of upto says what was used of what was allowed, on its page and in previews of it', async () => {
    const { html } = await full.get(`/ui/payments/${hashOf(117)}`)
    const used = '1.2345 of at most 9 USDC'
    expect(html).toContain(` paid <bdi class="num">${used}</bdi> to `)
    expect(html).toMatch(
      new RegExp(`<meta property="og:description" content="[^"]* paid ${used} to `),
    )
    expect(html).toContain('13.7 % of it was paid')
    const exact = await full.get(`/ui/payments/${hashOf(116)}`)
    expect(exact.html).not.toContain('of at most')
  })

  test('has the exact time, the whole addresses and every digit, each a click or a selection away', async () => {
    const row = rowOf((await full.get('/ui/payments')).html, 116)
    const { buyer } = paymentRecord()
    expect(row).toContain(`href="/ui/payments/${hashOf(116)}"`)
    expect(row).toContain('title="2026-09-17 12:00:05 UTC" data-relative="true">25 s ago')
    expect(row).toContain(`data-copy="${buyer}"`)
    expect(row).toContain(
      `${buyer.slice(0, 4)}<span class="middle" aria-hidden="true">${buyer.slice(4, -4)}</span>${buyer.slice(-4)}`,
    )
    expect(row).toContain('<span class="num" title="1.2345">1.2345</span>')
  })
})

test('a page that caches may keep repeats no address that the sender of the request chose', async () => {
  const headers = { host: 'elsewhere.example', 'x-forwarded-host': 'elsewhere.example' }
  const page = await full.get(`/ui/payments/${hashOf(1)}`, headers)
  expect(page.headers['cache-control']).toContain('public')
  expect(page.html).toContain('og:title')
  expect(page.html).not.toContain('elsewhere.example')
})

describe('the feed', () => {
  test('continues with the same filters', async () => {
    const { html } = await full.get('/ui/payments?confidence=verified-facilitator')
    const next = /href="([^"]+)"[^>]*>Older payments/.exec(html)?.[1]?.replaceAll('&amp;', '&')
    expect(next).toBe('/ui/payments?confidence=verified-facilitator&cursor=50')
    const second = await full.get(next ?? '')
    expect(count(second.html, 'data-key=')).toBe(50)
    expect(second.html).not.toContain('data-live=')
    expect(second.html).toContain('Newest payments')
  })

  test('shows each filter in force as a link that removes it', async () => {
    const { html } = await full.get(`/ui/payments?scheme=exact&seller=${seller}&buyer=`)
    expect(count(html, 'class="chip"')).toBe(2)
    expect(html).toContain(`class="chip" href="/ui/payments?seller=${seller}" title="exact"`)
    expect(html).toContain('class="chip" href="/ui/payments?scheme=exact"')
  })

  test('offers every filter in its form, with what is chosen', async () => {
    const { html } = await full.get('/ui/payments?facilitator=acme&confidence=svc')
    for (const name of ['seller', 'buyer', 'asset', 'facilitator', 'confidence', 'scheme']) {
      expect(html).toMatch(new RegExp(`<label for="filter-${name}">`))
    }
    expect(html).toMatch(/<option value="acme" selected>Acme Payments/)
  })
})

describe('a seller', () => {
  test('has unique buyers beside payments, self-payments and the share of the top buyer', async () => {
    const { html } = await full.get(`/ui/sellers/${seller}`)
    const figures = Object.fromEntries(
      [...html.matchAll(/<dt>([^<]+)<\/dt><dd class="value num"><a href="[^"]+">([^<]+)</g)].map(
        ([, name, value]) => [name, value],
      ),
    )
    expect(figures).toEqual({
      Payments: '120',
      'Unique buyers': '2',
      'Self-payments': '1',
      'Share of the top buyer': '99.2 %',
    })
    expect(html).toContain(`href="/ui/payments?seller=${seller}&amp;buyer=${seller}"`)
  })

  test('is not found at what is no address', async () => {
    expect((await full.get('/ui/sellers/nobody')).status).toBe(404)
  })
})

test('the table below a chart has the numbers of the chart, each with the payments behind it', async () => {
  const { html } = await full.get('/ui/')
  const chart = JSON.parse(/data-chart="([^"]+)"/.exec(html)?.[1]?.replaceAll('&quot;', '"') ?? '')
  expect(chart.series.map(({ counts }: { counts: number[] }) => counts.at(-1))).toEqual([0, 119, 1])
  expect(html).toMatch(/2026-09-17 12:00<\/time><\/th>.*?cursor=[\w-]+"[^>]*>120</)
})

test('files of the pages have their hash in the name and are kept for ever', async () => {
  const { html } = await full.get('/ui/')
  const files = [...html.matchAll(/(?:src|href)="(\/ui\/assets\/[^"]+)"/g)].map(
    ([, path]) => path ?? '',
  )
  expect(files.length).toBeGreaterThan(5)
  for (const path of files) {
    expect(path).toMatch(/^\/ui\/assets\/[a-z]+\.[0-9a-f]{12}\.(?:css|js|svg)$/)
    const { status, headers } = await full.get(path)
    expect(status).toBe(200)
    expect(headers['cache-control']).toBe('public, max-age=31536000, immutable')
  }
})

function rowOf(html: string, n: number): string {
  const row = html.split('<tr ').find((part) => part.includes(`/${hashOf(n)}"`))
  if (row === undefined) throw new Error(`no row of payment ${n}`)
  return row
}
