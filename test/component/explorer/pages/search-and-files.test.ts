import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accountOf, contractOf } from '../../../support/explorer/addresses.ts'
import { hostileTexts } from '../../../support/explorer/payment-records.ts'
import { type MarketServer, startMarketServer } from './market-server.ts'

let server: MarketServer

beforeAll(async () => {
  server = await startMarketServer({
    payments: 700,
    withChanges: (market) => ({
      ...market,
      payments: market.payments.map((payment, index) => ({
        ...payment,
        ...(index === 0 && { memo: '=1+1', amount: 10n ** 39n - 1n }),
      })),
      services: [
        ...market.services,
        { ...market.services[0]!, payTo: accountOf('tides'), serviceName: 'Tide Tables 100%' },
      ],
    }),
  })
})
afterAll(() => server[Symbol.asyncDispose]())

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(server.baseUrl + path, { redirect: 'manual', headers })

/** Where the search leads, or the status of its own page. */
async function found(query: string): Promise<string | number> {
  const answer = await get(`/ui/find?q=${encodeURIComponent(query)}`)
  return answer.headers.get('location') ?? answer.status
}

test.each([
  '/ui/asset/%00',
  '/ui/address/%00',
  '/ui/facilitators/%00',
  '/ui/sellers/%00',
  '/ui/payments/%00',
  '/ui/payments?facilitator=%00',
  '/ui/payments?network=%00',
  '/ui/find?q=%00',
])('%s is the fault of who asks, not of the store', async (path) => {
  expect([400, 404]).toContain((await get(path)).status)
})

describe('the search box', () => {
  test('leads to a payment by its hash in any form', async () => {
    const { txHash } = server.market.payments[5]!
    const page = `/ui/payments/${txHash}`
    expect(await found(txHash)).toBe(page)
    expect(await found(`  ${txHash.toUpperCase()} `)).toBe(page)
    expect(await found(`https://stellar.expert/explorer/testnet/tx/${txHash}`)).toBe(page)
  })

  test('leads to what an address is', async () => {
    const { buyer, seller, asset } = server.market.payments[5]!
    expect(await found(buyer)).toBe(`/ui/address/${buyer}`)
    expect(await found(seller)).toBe(`/ui/address/${seller}`)
    expect(await found(asset)).toBe(`/ui/asset/${asset}`)
    expect(await found(accountOf('svc channel 0'))).toBe(
      `/ui/address/${accountOf('svc channel 0')}`,
    )
  })

  test('leads to a facilitator by its id or its name', async () => {
    expect(await found('northwind')).toBe('/ui/facilitators/northwind')
    expect(await found('Northwind Pay')).toBe('/ui/facilitators/northwind')
    expect(await found('NORTHWIND')).toBe('/ui/facilitators/northwind')
  })

  test('leads to a seller by a part of its name if only one has it', async () => {
    const quorum = server.market.services.find(({ serviceName }) => serviceName === 'Quorum Search')
    const query = '?network=stellar%3Atestnet'
    expect(await found('quorum')).toBe(`/ui/sellers/${quorum?.payTo}${query}`)
    // Signs of patterns stand for themselves.
    expect(await found('100%')).toBe(`/ui/sellers/${accountOf('tides')}${query}`)
    expect(await found('%')).toBe(`/ui/sellers/${accountOf('tides')}${query}`)
    expect(await found('_')).toBe(404)
  })

  test('lists sellers of which several have the name, most payments first', async () => {
    const answer = await get('/ui/find?q=TIDE')
    expect(answer.status).toBe(200)
    const page = await answer.text()
    expect(page).toContain('2 sellers')
    expect(page.indexOf('Tide Weather')).toBeLessThan(page.indexOf('Tide Tables 100%'))
  })

  test.each([
    { query: 'f'.repeat(64), says: 'may not have read its ledger yet' },
    { query: accountOf('nobody'), says: 'in no payment that was observed' },
    { query: `${accountOf('nobody').slice(0, -1)}7`, says: 'not quite an address' },
    { query: 'no such name', says: 'Nothing has this name' },
    ...hostileTexts.map((query) => ({ query, says: 'The search finds:' })),
  ])('says what it can find when it does not find $query', async ({ query, says }) => {
    const answer = await get(`/ui/find?q=${encodeURIComponent(query)}`)
    expect(answer.status).toBe(404)
    expect(await answer.text()).toContain(says)
  })

  test('says what it can find when nothing is asked', async () => {
    expect((await get('/ui/find')).status).toBe(200)
    expect(await found('   ')).toBe(200)
  })
})

describe('a file of payments', () => {
  const rowsOf = async (path: string) => {
    const answer = await get(path)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toContain('text/csv; charset=utf-8')
    const bytes = Buffer.from(await answer.arrayBuffer())
    const [head = '', ...rows] = bytes.toString('utf8').trimEnd().split('\r\n')
    const names = head.replace('\ufeff', '').split(',')
    return rows.map((row) => {
      const cells = [...`,${row}`.matchAll(/,("(?:[^"]|"")*"|[^,]*)/g)].map(([, cell]) => cell)
      return Object.fromEntries(names.map((name, index) => [name, cells[index] ?? '']))
    })
  }

  test('has every payment once, newest first, with exact amounts', async () => {
    const rows = await rowsOf('/ui/payments.csv')
    const sorted = server.market.payments.toSorted(
      (a, b) => b.closedAt - a.closedAt || (a.txHash < b.txHash ? 1 : -1),
    )
    expect(rows.map(({ txHash }) => txHash)).toEqual(sorted.map(({ txHash }) => txHash))
    expect(rows.map(({ amount }) => amount)).toEqual(sorted.map(({ amount }) => String(amount)))
    expect(rows.at(-1)).toMatchObject({
      amount: '9'.repeat(39),
      amountDecimal: `${'9'.repeat(32)}.${'9'.repeat(7)}`,
      memo: "'=1+1",
    })
  })

  test('has what the page of the same filters shows', async () => {
    const { seller } = server.market.payments[5]!
    const rows = await rowsOf(`/ui/payments.csv?scheme=upto&seller=${seller}`)
    const wanted = server.market.payments.filter(
      (payment) => payment.scheme === 'upto' && payment.seller === seller,
    )
    expect(rows.map(({ txHash }) => txHash).sort()).toEqual(
      wanted.map(({ txHash }) => txHash).sort(),
    )
    expect(await rowsOf(`/ui/payments.csv?asset=${contractOf('unused')}`)).toEqual([])
  })

  test('is a file to save, and refuses filters as the page does', async () => {
    const { headers } = await get('/ui/payments.csv')
    expect(headers.get('content-disposition')).toBe('attachment; filename="payments.csv"')
    const refused = await get('/ui/payments.csv?scheme=other')
    expect(refused.status).toBe(400)
    expect(refused.headers.get('content-type')).toContain('text/html')
  })

  test('has sellers and facilitators, too', async () => {
    const sellers = await rowsOf('/ui/sellers.csv')
    const paid = new Set(server.market.payments.map(({ seller }) => seller))
    const named = new Set(server.market.services.map(({ payTo }) => payTo))
    expect(new Set(sellers.map(({ payTo }) => payTo))).toEqual(new Set([...paid, ...named]))
    const total = sellers.reduce((sum, { payments }) => sum + Number(payments), 0)
    expect(total).toBe(server.market.payments.length)
    const unregistered = await rowsOf('/ui/sellers.csv?registered=false')
    expect(new Set(unregistered.map(({ payTo }) => payTo))).toEqual(
      new Set([...paid].filter((seller) => !named.has(seller))),
    )

    const facilitators = await rowsOf('/ui/facilitators.csv')
    expect(facilitators.map(({ facilitatorId }) => facilitatorId)).toContain('northwind')
    expect(facilitators.reduce((sum, { payments }) => sum + Number(payments), 0)).toBe(
      server.market.payments.length,
    )
  })
})
