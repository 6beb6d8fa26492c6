import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ofEachScheme } from '../../../../src/payments/protocol/schemes.ts'
import { usdcIssuers } from '../../../../src/platform/core/caip2.ts'
import { submitters } from './feed-data.ts'
import { openInterfaceWorld, shopResources } from './interface-world.ts'
import { full, least, who } from './small-ledger.ts'
import type { ExplorerWorld } from './world.ts'

/** Rows of the interface's tables on analytics, by their words: records and blocks. */

let world: ExplorerWorld
beforeAll(async () => {
  world = await openInterfaceWorld()
})
afterAll(() => world[Symbol.asyncDispose]())

const answer = async (path: string) => (await world.get(path)).body
const [own, , nobody] = submitters
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
    resource: shopResources.later,
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
      resourceCandidates: [shopResources.first, shopResources.later],
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
    byScheme: { ...ofEachScheme(() => 0), exact: 5, upto: 1 },
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
      byScheme: { ...ofEachScheme(() => 0), exact: 0, upto: 0 },
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
    resourceCount: 2,
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
