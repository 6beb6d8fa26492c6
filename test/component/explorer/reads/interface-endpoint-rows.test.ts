import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ofEachScheme } from '../../../../src/payments/protocol/schemes.ts'
import { usdcIssuers } from '../../../../src/platform/core/caip2.ts'
import { addressOf, submitters } from './feed-data.ts'
import { openInterfaceWorld, shopResources } from './interface-world.ts'
import { full, who } from './small-ledger.ts'
import { type ExplorerWorld, watched } from './world.ts'

/** Rows of the interface's tables on analytics, by their words: endpoints and filters. */

let world: ExplorerWorld
beforeAll(async () => {
  world = await openInterfaceWorld()
})
afterAll(() => world[Symbol.asyncDispose]())

const answer = async (path: string) => (await world.get(path)).body
const [, other] = submitters
const usdcName = `USDC:${usdcIssuers['stellar:testnet']}`

describe('/seller/{payTo}', () => {
  test.each<[string, unknown]>([
    ['payTo', who.shop],
    ['stats', expect.objectContaining({ totalPayments: 5, uniqueBuyers: 4, uniqueSellers: 2 })],
    ['serviceName', 'Shop'],
    ['resource', 'https://Shop.example/api'],
    ['description', 'About Shop'],
    [
      'resources',
      Object.values(shopResources).map((resource) => ({
        ...{ network: 'stellar:testnet', method: 'GET', resource, serviceName: 'Shop' },
      })),
    ],
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
        byScheme: { ...ofEachScheme(() => 0), exact: 2, upto: 1 },
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
