import { afterAll, describe, expect, test } from 'vitest'
import { memoryPages } from '../../../support/explorer/memory-pages.ts'
import { paymentRecord } from '../../../support/explorer/payment-records.ts'

const now = Date.parse('2026-09-17T12:00:30.000Z')
const hashOf = (n: number) => n.toString(16).padStart(64, '0')
const candidates = ['https://shop.example/story/:id', 'https://shop.example/joke']
const full = memoryPages({
  now,
  payments: [
    paymentRecord({ txHash: hashOf(1), resource: candidates[0] }),
    paymentRecord({ txHash: hashOf(2), facilitator: null, confidence: 'x402-shaped' }),
    paymentRecord({ txHash: hashOf(3), resourceCandidates: candidates }),
    paymentRecord({ txHash: hashOf(4), resourceCandidates: candidates.slice(0, 1) }),
  ],
})
const empty = memoryPages({ payments: [], now })
afterAll(async () => {
  for (const server of [full, empty]) await server[Symbol.asyncDispose]()
})

const textOf = (html: string) => html.replaceAll(/<[^>]*>/g, '')

describe('the page of a payment', () => {
  test('names what was bought where a settlement says it', async () => {
    const { html } = await full.get(`/ui/payments/${hashOf(1)}`)
    expect(html).toContain(`<bdi>${candidates[0]}</bdi>`)
    expect(html).toContain('declared it when this service settled it')
  })

  test('lists what it may have been where nothing says it', async () => {
    const several = await full.get(`/ui/payments/${hashOf(3)}`)
    for (const each of candidates) expect(several.html).toContain(`<bdi>${each}</bdi>`)
    expect(several.html).toContain('which of them was bought, if one was, the ledger does not say')
    const { html } = await full.get(`/ui/payments/${hashOf(4)}`)
    expect(html).toContain('whether it was bought, the ledger does not say')
  })

  test('went through no known facilitator where none is known', async () => {
    const { html } = await full.get(`/ui/payments/${hashOf(2)}`)
    expect(textOf(html)).toContain(', through no known facilitator.')
  })
})

test.each(['/ui/', '/ui/payments', '/ui/sellers', '/ui/facilitators', '/ui/find'])(
  '%s has a description for those who list or share it',
  async (path) => {
    const { html } = await full.get(path)
    expect(html).toMatch(/<meta name="description" content="[^"]{40,}"/)
    expect(html).toMatch(/<meta property="og:description" content="[^"]{40,}"/)
  },
)

test('the directory of sellers says that none matches only where it is filtered', async () => {
  expect((await empty.get('/ui/sellers')).html).toContain('No seller is known yet')
  expect((await empty.get('/ui/sellers?window=7d')).html).toContain('Nobody was paid in the last 7')
  expect((await empty.get('/ui/sellers?registered=true')).html).toContain('No seller matches.')
})

describe('a wrong filter', () => {
  test.each([
    ['/ui/payments?scheme=cash&buyer=GA', '/ui/payments?buyer=GA', 'scheme'],
    ['/ui/payments?scheme=exact&seller=me', '/ui/payments?scheme=exact', 'seller'],
    ['/ui/payments?seller=me', '/ui/payments', 'seller'],
    ['/ui/payments.csv?confidence=high', '/ui/payments', 'confidence'],
    ['/ui/?window=1y', '/ui/', 'window'],
    ['/ui/sellers?registered=maybe&window=7d', '/ui/sellers?window=7d', 'registered'],
    ['/ui/sellers?offset=-1', '/ui/sellers', 'offset'],
    ['/ui/payments?network=stellar:moon&scheme=exact', '/ui/payments?scheme=exact', 'network'],
  ])('%s has a link to the page without it', async (path, href, name) => {
    const { status, html } = await full.get(path)
    expect(status).toBe(400)
    const link = `<a class="button" href="${href.replaceAll('&', '&amp;')}">Remove ${name}</a>`
    expect(html).toContain(link)
  })

  test('that names no parameter of the page has none', async () => {
    const { html } = await full.get('/ui/payments/nothing')
    expect(html).not.toContain('>Remove ')
  })
})
