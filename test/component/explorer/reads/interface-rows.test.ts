import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { usdcIssuers } from '../../../../src/core/caip2.ts'
import { addressOf, submitters } from './feed-data.ts'
import { full, least, pubnet, testnet, who } from './small-ledger.ts'
import { type ExplorerWorld, fillPayments, openWorld, registerSeller, watched } from './world.ts'

/** Every row of the interface's tables on analytics, by its words. */

const opened = new AsyncDisposableStack()
let world: ExplorerWorld
beforeAll(async () => {
  world = opened.use(
    await openWorld(async (store) => {
      await fillPayments(store, { 'stellar:testnet': testnet, 'stellar:pubnet': pubnet })
      await registerSeller(store, 'stellar:testnet', { address: who.shop, name: 'Shop' })
      await registerSeller(store, 'stellar:testnet', { address: who.listed, name: 'Listed' })
    }),
  )
})
afterAll(() => opened.disposeAsync())

const answer = async (path: string) => (await world.get(path)).body
const [own, other, nobody] = submitters
const usdcName = `USDC:${usdcIssuers['stellar:testnet']}`

describe('the payment record', () => {
  const rows: Record<string, unknown> = {
    network: 'stellar:testnet',
    epoch: '2026-08-01T00:00:00.000Z',
    ledger: 4_900,
    txHash: full.txHash,
    scheme: 'upto',
    confidence: 'svc',
    buyer: who.bot,
    seller: who.shop,
    amount: '12345000',
    amountDecimal: '1.2345',
    assetContract: who.usdc,
    txSource: own.source,
    facilitator: { id: 'svc', displayName: 'Our own' },
    closedAt: '2026-10-01T11:30:00.000Z',
    ceiling: '20000000',
    ceilingDecimal: '2',
    asset: usdcName,
    assetCode: 'USDC',
    feeSource: who.sponsor,
    feeChargedStroops: '4242',
    sigExpirationLedger: 4_950,
    memo: 'order 7',
    muxedId: '18446744073709551615',
    serviceName: 'Shop',
    resource: 'https://Shop.example/api',
  }
  test.each(Object.keys(rows))('has %s', async (name) => {
    const { items } = await answer('/feed?limit=1')
    expect(items[0][name]).toEqual(rows[name])
  })

  test('has nothing else, and leaves out what is not known', async () => {
    const { items } = await answer('/feed?limit=2')
    expect(Object.keys(items[0]).sort()).toEqual(Object.keys(rows).sort())
    expect(items[1]).toEqual({
      ...{ network: 'stellar:testnet', epoch: '2026-08-01T00:00:00.000Z', ledger: 4_800 },
      ...{ txHash: least.txHash, scheme: 'exact', confidence: 'x402-shaped', facilitator: null },
      ...{ buyer: who.agent, seller: who.shop, assetContract: who.token, txSource: nobody.source },
      ...{ amount: '9'.repeat(39), amountDecimal: '9'.repeat(39), feeChargedStroops: '100' },
      ...{ closedAt: '2026-10-01T10:30:00.000Z', serviceName: 'Shop' },
      resource: 'https://Shop.example/api',
    })
  })

  test('names the native asset', async () => {
    const { items } = await answer(`/feed?asset=${who.native}`)
    expect(items[0]).toMatchObject({ asset: 'native', assetCode: 'XLM', amountDecimal: '1' })
  })
})

describe('the aggregate block', () => {
  const stats: Record<string, unknown> = {
    totalPayments: 6,
    // An address on two networks counts once for each.
    uniqueBuyers: 4,
    uniqueSellers: 3,
    byScheme: { exact: 5, upto: 1 },
    byConfidence: { svc: 1, 'verified-facilitator': 3, 'x402-shaped': 2 },
    firstPaymentAt: '2026-04-01T12:30:00.000Z',
    lastPaymentAt: '2026-10-01T11:30:00.000Z',
  }
  test.each(Object.keys(stats))('has %s', async (name) => {
    expect((await answer('/stats'))[name]).toEqual(stats[name])
    expect((await answer('/ecosystem')).totals[name]).toEqual(stats[name])
  })

  test('has byAsset, largest count first', async () => {
    const { byAsset } = await answer('/stats?network=stellar:testnet')
    expect(byAsset[0]).toEqual({
      assetContract: who.usdc,
      count: 3,
      total: '17345001',
      totalDecimal: '1.7345001',
      asset: usdcName,
      assetCode: 'USDC',
    })
    expect(byAsset.map(({ count }: { count: number }) => count)).toEqual([3, 1, 1])
  })

  test('has no times where there is no payment', async () => {
    const { stats: none } = await answer(`/seller/${who.listed}`)
    expect(none).toEqual({
      ...{ totalPayments: 0, uniqueBuyers: 0, uniqueSellers: 0, byAsset: [] },
      byScheme: { exact: 0, upto: 0 },
      byConfidence: { svc: 0, 'verified-facilitator': 0, 'x402-shaped': 0 },
    })
  })
})

describe('the seller directory', () => {
  const shop: Record<string, unknown> = {
    payTo: who.shop,
    network: 'stellar:testnet',
    registered: true,
    payments: 4,
    uniqueBuyers: 3,
    volume: [
      { assetContract: who.token, total: '9'.repeat(39), totalDecimal: '9'.repeat(39) },
      {
        ...{ assetContract: who.usdc, asset: usdcName, assetCode: 'USDC' },
        ...{ total: '17345001', totalDecimal: '1.7345001' },
      },
    ],
    firstSeenAt: '2026-04-01T12:30:00.000Z',
    lastSeenAt: '2026-10-01T11:30:00.000Z',
    serviceName: 'Shop',
    resource: 'https://Shop.example/api',
    description: 'About Shop',
  }
  test.each(Object.keys(shop))('has %s of an entry', async (name) => {
    expect((await answer('/sellers')).items[0][name]).toEqual(shop[name])
  })

  const names = ({ items }: { items: { payTo: string; network: string }[] }) =>
    items.map(({ payTo, network }) => `${payTo} ${network.slice(8)}`)
  const [onTestnet, onPubnet] = [`${who.shop} testnet`, `${who.shop} pubnet`]
  const [store, listed] = [`${who.store} testnet`, `${who.listed} testnet`]
  const byAddress = [onPubnet, store].sort()

  test.each<{ query: string; sellers: readonly string[]; total: number }>([
    { query: '', sellers: [onTestnet, ...byAddress, listed], total: 4 },
    { query: '?network=stellar:pubnet', sellers: [onPubnet], total: 1 },
    { query: '?window=24h', sellers: [onTestnet, listed], total: 2 },
    { query: '?window=7d', sellers: [onTestnet, onPubnet, listed], total: 3 },
    { query: '?window=30d', sellers: [onTestnet, ...byAddress, listed], total: 4 },
    { query: '?registered=true', sellers: [onTestnet, listed], total: 2 },
    { query: '?registered=false', sellers: byAddress, total: 2 },
    { query: '?registered=false&window=7d', sellers: [onPubnet], total: 1 },
    { query: '?registered=true&window=24h&network=stellar:pubnet', sellers: [], total: 0 },
    { query: '?limit=1&offset=3', sellers: [listed], total: 4 },
    { query: '?offset=9', sellers: [], total: 4 },
  ])(
    'ranks by payments, then registered, then address: "$query"',
    async ({ query, sellers, total }) => {
      const page = await answer(`/sellers${query}`)
      expect(names(page)).toEqual(sellers)
      expect(page.pagination.total).toBe(total)
    },
  )

  test('has pagination: total, limit, offset', async () => {
    expect((await answer('/sellers')).pagination).toEqual({ total: 4, limit: 25, offset: 0 })
    expect((await answer('/sellers?limit=3&offset=2')).pagination).toEqual({
      ...{ total: 4, limit: 3, offset: 2 },
    })
  })

  test.each([
    { window: '24h', payments: 2, uniqueBuyers: 2, assets: 2 },
    { window: '7d', payments: 3, uniqueBuyers: 2, assets: 2 },
    { window: '30d', payments: 3, uniqueBuyers: 2, assets: 2 },
  ])('scopes every activity stat to $window, and echoes it', async ({ window, ...counts }) => {
    const page = await answer(`/sellers?window=${window}`)
    const { assets, ...stats } = counts
    expect(page.window).toBe(window)
    expect(page.items[0]).toMatchObject(stats)
    expect(page.items[0].volume).toHaveLength(assets)
    expect(page.items.find(({ payTo }: { payTo: string }) => payTo === who.listed)).toMatchObject({
      ...{ payments: 0, uniqueBuyers: 0, volume: [], registered: true, serviceName: 'Listed' },
    })
  })

  test('echoes no window that was not asked for', async () => {
    expect(await answer('/sellers')).not.toHaveProperty('window')
  })
})

describe('/seller/{payTo}', () => {
  test.each<[string, unknown]>([
    ['payTo', who.shop],
    ['stats', expect.objectContaining({ totalPayments: 5, uniqueBuyers: 4, uniqueSellers: 2 })],
    ['serviceName', 'Shop'],
    ['resource', 'https://Shop.example/api'],
    ['description', 'About Shop'],
    ['conduct', { selfPayments: 1, topBuyer: { buyer: who.agent, payments: 2, share: 0.4 } }],
  ])('has %s', async (name, value) => {
    expect((await answer(`/seller/${who.shop}`))[name]).toEqual(value)
  })

  test('has payments, newest first', async () => {
    const { payments } = await answer(`/seller/${who.shop}`)
    const { items } = await answer(`/feed?seller=${who.shop}`)
    expect(payments).toHaveLength(5)
    expect(payments).toEqual(items)
  })

  test('has what one network has, with network', async () => {
    const seller = await answer(`/seller/${who.shop}?network=stellar:pubnet`)
    expect(seller.stats.totalPayments).toBe(1)
    expect(seller.payments).toHaveLength(1)
    expect(seller.conduct).toEqual({
      selfPayments: 0,
      topBuyer: { buyer: who.agent, payments: 1, share: 1 },
    })
  })

  test('is 200 with zero stats for an unknown seller', async () => {
    const { status, body } = await world.get(`/seller/${addressOf('G', 'unknown')}`)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      ...{ payTo: addressOf('G', 'unknown'), payments: [], conduct: { selfPayments: 0 } },
      stats: { totalPayments: 0 },
    })
    expect(body).not.toHaveProperty('nextCursor')
  })
})

describe('/stats', () => {
  test('has networks', async () => {
    expect((await answer('/stats')).networks).toEqual(['stellar:testnet', 'stellar:pubnet'])
    expect((await answer('/stats?network=stellar:pubnet')).networks).toEqual(['stellar:pubnet'])
  })

  test('has no window that was not asked for', async () => {
    expect(await answer('/stats')).not.toHaveProperty('window')
  })

  test.each([
    { window: '24h', totalPayments: 2, uniqueBuyers: 2, uniqueSellers: 1, from: '10-01T10:30' },
    { window: '7d', totalPayments: 4, uniqueBuyers: 3, uniqueSellers: 2, from: '09-28T12:30' },
    { window: '30d', totalPayments: 5, uniqueBuyers: 3, uniqueSellers: 3, from: '09-10T12:30' },
  ])('scopes every aggregate to $window, and echoes it', async ({ window, from, ...counts }) => {
    const stats = await answer(`/stats?window=${window}`)
    expect(stats).toMatchObject({ window, ...counts })
    expect(stats.firstPaymentAt).toBe(`2026-${from}:00.000Z`)
    expect(stats.lastPaymentAt).toBe('2026-10-01T11:30:00.000Z')
    const { exact, upto } = stats.byScheme
    expect(exact + upto).toBe(counts.totalPayments)
  })

  test.each<[string, unknown]>([
    ['network', 'stellar:testnet'],
    ['consecutiveFailures', 0],
    ['epoch', '2026-08-01T00:00:00.000Z'],
    ['lastLedger', 5_000],
    ['lastPollAt', '2026-10-01T12:29:58.000Z'],
    ['backfill', 'done'],
    ['gaps', []],
  ])('has %s of an ingest entry', async (name, value) => {
    expect((await answer('/stats')).ingest[0][name]).toEqual(value)
  })

  test('has lastError of an ingest entry', async () => {
    const { ingest } = await answer('/stats')
    expect(ingest[0]).not.toHaveProperty('lastError')
    expect(ingest[1]).toEqual({
      ...{ network: 'stellar:pubnet', consecutiveFailures: 0, backfill: 'done', gaps: [] },
    })
  })
})

describe('/ecosystem', () => {
  test.each<[string, unknown]>([
    ['generatedAt', '2026-10-01T12:30:00.000Z'],
    ['networks', ['stellar:testnet', 'stellar:pubnet']],
    [
      'coverage',
      [
        { network: 'stellar:testnet', watchedSacs: 'all' },
        { network: 'stellar:pubnet', watchedSacs: [watched] },
      ],
    ],
  ])('has %s', async (name, value) => {
    expect((await answer('/ecosystem'))[name]).toEqual(value)
  })

  test.each([
    {
      window: '24h',
      entry: { payments: 2, uniqueBuyers: 2, uniqueSellers: 1, newBuyers: 1, newSellers: 0 },
    },
    {
      window: '7d',
      entry: { payments: 4, uniqueBuyers: 3, uniqueSellers: 2, newBuyers: 2, newSellers: 1 },
    },
    {
      window: '30d',
      entry: { payments: 5, uniqueBuyers: 3, uniqueSellers: 3, newBuyers: 3, newSellers: 2 },
    },
  ])('has the counts of $window', async ({ window, entry }) => {
    const { volume, ...counts } = (await answer('/ecosystem')).windows[window]
    expect(counts).toEqual(entry)
    expect(volume.length).toBeGreaterThan(1)
  })

  test('has the volume of a window', async () => {
    const { windows } = await answer('/ecosystem?network=stellar:testnet')
    expect(windows['7d'].volume[0]).toEqual({
      ...{ assetContract: who.usdc, count: 2, total: '17345000', totalDecimal: '1.7345' },
      ...{ asset: usdcName, assetCode: 'USDC' },
    })
  })

  test('has totalDecimal and assetCode in byAsset of totals', async () => {
    const { totals } = await answer('/ecosystem?network=stellar:testnet')
    expect(totals.byAsset[0]).toMatchObject({ totalDecimal: '1.7345001', assetCode: 'USDC' })
  })

  test('has facilitators, largest share first, with those nobody knows', async () => {
    expect((await answer('/ecosystem')).facilitators).toEqual([
      {
        ...{ facilitatorId: 'other', payments: 3, share: 0.5, verified: true },
        ...{ windows: { '24h': 0, '7d': 2, '30d': 3 } },
        lastPaymentAt: '2026-09-30T06:30:00.000Z',
      },
      {
        ...{ facilitatorId: null, payments: 2, share: 0.3333, verified: false },
        ...{ windows: { '24h': 1, '7d': 1, '30d': 1 } },
        lastPaymentAt: '2026-10-01T10:30:00.000Z',
      },
      {
        ...{ facilitatorId: 'svc', displayName: 'Our own', payments: 1, share: 0.1667 },
        ...{ verified: true, windows: { '24h': 1, '7d': 1, '30d': 1 } },
        lastPaymentAt: '2026-10-01T11:30:00.000Z',
      },
    ])
  })

  test('has topSellers of the trailing 30 days', async () => {
    const { topSellers } = await answer('/ecosystem?network=stellar:testnet')
    expect(topSellers.map(({ payTo }: { payTo: string }) => payTo)).toEqual([who.shop, who.store])
    const { volume, ...first } = topSellers[0]
    expect(first).toEqual({
      ...{ network: 'stellar:testnet', payTo: who.shop, payments: 3, uniqueBuyers: 2 },
      ...{ lastPaymentAt: '2026-10-01T11:30:00.000Z', serviceName: 'Shop' },
    })
    expect(volume[0]).toMatchObject({ assetContract: who.usdc, count: 2, total: '17345000' })
  })
})

describe('the filters of /feed', () => {
  test.each<{ query: string; count: number }>([
    { query: '', count: 6 },
    { query: 'scheme=upto', count: 1 },
    { query: `seller=${who.store}`, count: 1 },
    { query: `buyer=${who.bot}`, count: 1 },
    { query: `buyer=${who.agent}`, count: 4 },
    { query: 'network=stellar:pubnet', count: 1 },
    { query: `asset=${who.usdc}`, count: 3 },
    { query: 'facilitator=other', count: 3 },
    { query: 'confidence=verified-facilitator', count: 3 },
    { query: `asset=${who.usdc}&buyer=${who.agent}&seller=${who.shop}`, count: 1 },
    { query: `asset=${addressOf('C', 'unknown')}`, count: 0 },
    { query: 'limit=2', count: 2 },
  ])('give $count payments with "$query"', async ({ query, count }) => {
    expect((await answer(`/feed?${query}`)).items).toHaveLength(count)
  })

  test('follow nextCursor to the last page, which has none', async () => {
    const first = await answer('/feed?limit=4')
    expect(JSON.parse(Buffer.from(first.nextCursor, 'base64url').toString())).toEqual([
      first.items[3].closedAt,
      first.items[3].txHash,
      0,
    ])
    const last = await answer(`/feed?limit=4&cursor=${first.nextCursor}`)
    expect(last).not.toHaveProperty('nextCursor')
    const all = await answer('/feed')
    expect([...first.items, ...last.items]).toEqual(all.items)
  })

  test('may change with an old cursor', async () => {
    const { nextCursor } = await answer('/feed?limit=1')
    const { items } = await answer(`/feed?cursor=${nextCursor}&buyer=${who.agent}`)
    expect(items).toHaveLength(4)
  })
})

describe('what is beyond the interface', () => {
  test('/tx/{hash} has the record of the feed', async () => {
    const { items } = await answer('/feed?limit=1')
    expect(await answer(`/tx/${full.txHash}`)).toEqual(items[0])
    expect(await answer(`/tx/${full.txHash.toUpperCase()}`)).toEqual(items[0])
  })

  test('/facilitators has those of the ecosystem', async () => {
    expect((await answer('/facilitators')).items).toEqual((await answer('/ecosystem')).facilitators)
  })

  test('/facilitator/{id} has its registry entry', async () => {
    expect(await answer('/facilitator/other')).toMatchObject({
      ...{ facilitatorId: 'other', payments: 3, source: 'announced', verified: true },
      networks: ['stellar:testnet', 'stellar:pubnet'],
      signers: [
        { network: 'stellar:pubnet', address: other.source },
        { network: 'stellar:testnet', address: other.source },
      ],
      uptoContracts: [],
    })
  })

  test('/asset/{contract} has its totals', async () => {
    expect(await answer(`/asset/${who.usdc}`)).toEqual({
      ...{ network: 'stellar:testnet', assetContract: who.usdc, decimals: 7 },
      ...{ asset: usdcName, assetCode: 'USDC' },
      stats: {
        totalPayments: 3,
        byScheme: { exact: 2, upto: 1 },
        byConfidence: { svc: 1, 'verified-facilitator': 1, 'x402-shaped': 1 },
        ...{ firstPaymentAt: '2026-04-01T12:30:00.000Z', total: '17345001' },
        ...{ lastPaymentAt: '2026-10-01T11:30:00.000Z', totalDecimal: '1.7345001' },
        windows: { '24h': 1, '7d': 2, '30d': 2 },
      },
    })
  })

  test.each([
    { query: '', points: 30, first: '2026-09-02T00:00:00.000Z', payments: 5 },
    { query: '?days=1', points: 1, first: '2026-10-01T00:00:00.000Z', payments: 2 },
    { query: '?bucket=hour', points: 48, first: '2026-09-29T13:00:00.000Z', payments: 3 },
    { query: '?bucket=hour&hours=2', points: 2, first: '2026-10-01T11:00:00.000Z', payments: 1 },
    { query: `?seller=${who.store}`, points: 30, first: '2026-09-02T00:00:00.000Z', payments: 1 },
    {
      query: `?asset=${who.usdc}&days=90`,
      points: 90,
      first: '2026-07-04T00:00:00.000Z',
      payments: 2,
    },
    { query: '?facilitator=svc&days=2', points: 2, first: '2026-09-30T00:00:00.000Z', payments: 1 },
  ])('/ecosystem/timeseries$query has one point for each bucket', async ({ query, ...then }) => {
    const { points } = await answer(`/ecosystem/timeseries${query}`)
    expect(points).toHaveLength(then.points)
    expect(points[0].at).toBe(then.first)
    const sum = points.reduce(
      (all: number, { payments }: { payments: number }) => all + payments,
      0,
    )
    expect(sum).toBe(then.payments)
  })

  test('/health shows status, version, ingest and lag', async () => {
    expect(await answer('/health')).toMatchObject({
      ...{ status: 'degraded', version: 'test', reason: 'stellar:pubnet was not reached yet.' },
      lag: [{ network: 'stellar:testnet', ledgers: 1, seconds: 5 }],
      ingest: [{ network: 'stellar:testnet' }, { network: 'stellar:pubnet' }],
    })
  })
})
