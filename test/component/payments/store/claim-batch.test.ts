import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { countChannelUse } from '../../../../src/payments/store/channels/count.ts'
import type {
  ClaimOutcome,
  ClaimRequest,
} from '../../../../src/payments/store/settlements/claim/claim-request.ts'
import {
  claimBatch,
  claimWithChannel,
} from '../../../../src/payments/store/settlements/claim/claim-with-channel.ts'
import { releaseClaim } from '../../../../src/payments/store/settlements/claim/release.ts'
import { findSettlement } from '../../../../src/payments/store/settlements/find.ts'
import { listUnfinished } from '../../../../src/payments/store/settlements/list.ts'
import { asStroops } from '../../../../src/platform/core/amounts/stroops.ts'
import { asUsdUnits } from '../../../../src/platform/core/amounts/usd.ts'
import { openStore, type Store } from '../../../../src/platform/database/open.ts'
import { untilLockWaits } from '../../../support/lock-waits.ts'
import { freshDatabase, type TestDatabase } from '../../../support/postgres.ts'
import { emptyTables, openEmptyStore } from '../../platform/database/open-stores.ts'
import { startPostgresProxy } from '../../platform/database/postgres-proxy.ts'
import {
  addChannels,
  channelOf,
  claimRequest,
  fence,
  keyOf,
  NO_TIME,
  network,
  sponsor,
} from './builders.ts'

const kinds = (outcomes: readonly ClaimOutcome[]) => outcomes.map(({ kind }) => kind)
const count = (outcomes: readonly ClaimOutcome[], kind: ClaimOutcome['kind']) =>
  kinds(outcomes).filter((other) => other === kind).length

describe('claims that meet', () => {
  let store: Store
  beforeAll(async () => {
    store = await openEmptyStore()
  })
  afterEach(() => emptyTables(store))
  afterAll(() => store.close())

  const claim = (requests: readonly ClaimRequest[]) => {
    const batch = claimBatch(store.db)
    return Promise.all(requests.map((request) => batch.write(request)))
  }
  const times = (number: number, make: (nonce: string) => ClaimRequest) =>
    Array.from({ length: number }, (_, index) => make(`${index}`))

  it('get a channel each, the first ones when there are not enough', async () => {
    await addChannels(store, 5)
    const outcomes = await claim(times(8, claimRequest))
    expect(outcomes.slice(0, 5).map((outcome) => channelOf(outcome).account)).toEqual([
      ...['GCHANNEL0', 'GCHANNEL1', 'GCHANNEL2', 'GCHANNEL3', 'GCHANNEL4'],
    ])
    expect(outcomes.slice(5)).toEqual(
      Array(3).fill({ kind: 'claimed', attempt: 1, channel: undefined }),
    )
    expect(await countChannelUse(store.db, network, sponsor)).toEqual({ active: 5, inUse: 5 })
  })

  it('keep the facts of each', async () => {
    await claim(
      times(3, (nonce) =>
        claimRequest(nonce, {
          facts: {
            scheme: 'exact',
            asset: `C${nonce}`,
            payTo: `G${nonce}`,
            amount: 2n ** 127n - 1n - BigInt(nonce),
            resourceUrl: `https://api.example/"${nonce}"\0`,
          },
        }),
      ),
    )
    expect(await findSettlement(store.db, keyOf('2'))).toMatchObject({
      owner: 'one',
      facts: {
        asset: 'C2',
        payTo: 'G2',
        amount: 2n ** 127n - 3n,
        resourceUrl: 'https://api.example/"2"',
      },
    })
  })

  it('take over what is free, and find what is not', async () => {
    await claimWithChannel(store.db, claimRequest('0'))
    await claimWithChannel(store.db, claimRequest('1'))
    await releaseClaim(store.db, fence('1'))
    await claimWithChannel(store.db, claimRequest('2', { claimTtlMs: NO_TIME }))
    expect(await claim(times(4, (nonce) => claimRequest(nonce, { owner: 'two' })))).toMatchObject([
      { kind: 'existing', settlement: { owner: 'one', attempt: 1 } },
      { kind: 'claimed', attempt: 2 },
      { kind: 'claimed', attempt: 2 },
      { kind: 'claimed', attempt: 1 },
    ])
  })

  it('of the same authorization: one claims, the others find it', async () => {
    const outcomes = await claim(times(4, () => claimRequest('1')))
    expect(kinds(outcomes)).toEqual(['claimed', 'existing', 'existing', 'existing'])
  })

  it('of several sponsors use the channels of each', async () => {
    await addChannels(store, 2)
    const outcomes = await claim([
      claimRequest('1'),
      claimRequest('2', { sponsor: 'GOTHER' }),
      claimRequest('3'),
    ])
    expect(outcomes.map((outcome) => outcome.kind === 'claimed' && outcome.channel?.index)).toEqual(
      [0, undefined, 1],
    )
  })

  it('fail alone: one that the database refuses fails no other', async () => {
    const bad = claimRequest('bad', { fingerprint: 'no digest' })
    const outcomes = await Promise.allSettled(
      ((batch) =>
        [claimRequest('1'), claimRequest('2'), bad, claimRequest('3')].map((request) =>
          batch.write(request),
        ))(claimBatch(store.db)),
    )
    expect(outcomes.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
      'fulfilled',
    ])
    expect(await listUnfinished(store.db, network)).toHaveLength(3)
  })

  it('spend the budget to the last stroop, in their order', async () => {
    const fees = [40n, 50n, 20n, 10n, 1n]
    const hourly = asStroops(100n)
    const outcomes = await claim(
      fees.map((fee, index) =>
        claimRequest(`${index}`, { budget: { fee: asStroops(fee), hourly } }),
      ),
    )
    expect(kinds(outcomes)).toEqual(['claimed', 'claimed', 'over_budget', 'claimed', 'over_budget'])
    expect(await listUnfinished(store.db, network)).toHaveLength(3)
  })

  it('spend no more than the share of their caller, to the last stroop', async () => {
    const budget = { fee: asStroops(40n), hourly: asStroops(1_000n), keyShare: asStroops(80n) }
    const outcomes = await claim(
      times(9, (nonce) =>
        claimRequest(nonce, {
          budget,
          metering: { caller: `shop ${Number(nonce) % 3}`, serviceFee: asUsdUnits(0n) },
        }),
      ),
    )
    expect(count(outcomes, 'claimed')).toBe(6)
    expect(kinds(outcomes.slice(6))).toEqual(Array(3).fill('over_key_share'))
  })

  it('are found, not refused, when they repeat others', async () => {
    const budget = { fee: asStroops(40n), hourly: asStroops(80n) }
    await claim(times(2, (nonce) => claimRequest(nonce, { budget })))
    const outcomes = await claim(times(4, (nonce) => claimRequest(nonce, { budget })))
    expect(kinds(outcomes)).toEqual(['existing', 'existing', 'over_budget', 'over_budget'])
  })

  it('of one payer claim no more than it has', async () => {
    const facts = { scheme: 'exact', asset: 'CASSET', payTo: 'GSELLER', amount: 100n }
    const limited = (funds?: bigint) => (nonce: string) =>
      claimRequest(nonce, { facts, funds, limitToFunds: true })
    const unread = await claim(times(5, limited()))
    expect(kinds(unread)).toEqual(['claimed', ...Array(4).fill('funds_unknown')])
    const read = await claim(times(5, limited(350n)))
    expect(count(read, 'claimed')).toBe(2)
    expect(count(read, 'over_funds')).toBe(2)
  })
})

describe('claims that meet on two replicas', () => {
  let database: TestDatabase
  let stores: readonly [Store, Store]
  beforeAll(async () => {
    database = await freshDatabase()
    const open = () => openStore({ kind: 'postgres', url: database.url, poolSize: 8 })
    stores = [await open(), await open()]
  })
  afterEach(() => emptyTables(stores[0]))
  afterAll(async () => {
    await Promise.all(stores.map((store) => store.close()))
    await database[Symbol.asyncDispose]()
  })

  const batches = () => stores.map((store) => claimBatch(store.db))

  it('in opposite orders are claimed once each, without a deadlock', async () => {
    await addChannels(stores[0], 30)
    for (let round = 0; round < 10; round++) {
      const nonces = Array.from({ length: 30 }, (_, index) => `${round} ${index}`)
      const outcomes = await Promise.all(
        batches().flatMap((batch, replica) =>
          (replica ? nonces.toReversed() : nonces).map((nonce) =>
            batch.write(claimRequest(nonce, { owner: `${replica}` })),
          ),
        ),
      )
      expect(count(outcomes, 'claimed')).toBe(30)
      expect(count(outcomes, 'existing')).toBe(30)
      const channels = outcomes.flatMap((outcome) =>
        outcome.kind === 'claimed' && outcome.channel ? [outcome.channel.index] : [],
      )
      expect(new Set(channels).size).toBe(channels.length)
      await Promise.all(
        outcomes.map((outcome, index) => {
          const nonce = index < 30 ? nonces[index] : nonces[59 - index]
          const owner = index < 30 ? '0' : '1'
          if (outcome.kind !== 'claimed') return undefined
          return releaseClaim(stores[0].db, fence(nonce ?? '', { owner }))
        }),
      )
    }
  })

  it('of one payer in several assets lock these in one order, without a deadlock', async () => {
    const batch = (owner: string, assets: readonly string[]) => {
      const claims = claimBatch(stores[0].db)
      return assets.map((asset, index) =>
        claims.write(
          claimRequest(`${owner} ${index}`, {
            facts: { scheme: 'exact', asset, payTo: 'GSELLER', amount: 100n },
            owner,
            limitToFunds: true,
            funds: 1_000n,
          }),
        ),
      )
    }
    const outcomes = await stores[1].db.transaction().execute(async (holder) => {
      await sql`select refusal_by_funds(${network}, 'GPAYER', '', 'CA', 1, 1, null)`.execute(holder)
      const one = batch('one', ['CA', 'CB'])
      await untilLockWaits(stores[0].db, 1)
      const other = batch('two', ['CB', 'CA'])
      await untilLockWaits(stores[0].db, 2)
      return [...one, ...other]
    })
    expect(count(await Promise.all(outcomes), 'claimed')).toBe(4)
  })

  it('never exceed the budget, a caller’s share or a payer’s funds', async () => {
    const hourly = asStroops(100_000n)
    const keyShare = asStroops(60_000n)
    const fees = [3_001n, 4_999n, 7_000n, 1_003n]
    const [one, two] = batches()
    const outcomes = await Promise.all(
      Array.from({ length: 120 }, (_, index) => {
        const request = claimRequest('', {
          key: { network, payer: `G${index % 7}`, nonce: `${index}` },
          facts: { scheme: 'exact', asset: 'CASSET', payTo: 'GSELLER', amount: 100n },
          budget: { fee: asStroops(fees[index % 4] ?? 1n), hourly, keyShare },
          metering: { caller: index % 3 ? 'busy' : 'calm', serviceFee: asUsdUnits(0n) },
          limitToFunds: true,
          funds: 650n,
        })
        return (index % 2 ? one : two)?.write(request)
      }),
    )
    const claimed = outcomes.filter((outcome) => outcome?.kind === 'claimed')
    const { rows } = await sql<{ fees: bigint; most: bigint; busy: bigint; funds: bigint }>`select
      (select sum(fee_committed)::bigint from settlements) as fees,
      (select sum(fee_committed)::bigint from settlements where caller = 'busy') as busy,
      (select max(sum)::bigint from (select sum(amount) from settlements group by payer) payer) as funds
    `.execute(stores[0].db)
    expect(rows[0]?.fees).toBeLessThanOrEqual(hourly)
    expect(rows[0]?.busy).toBeLessThanOrEqual(keyShare)
    expect(rows[0]?.funds).toBeLessThanOrEqual(650n)
    // What is left is less than the cheapest refused claim needs.
    expect(rows[0]?.fees).toBeGreaterThan(hourly - 7_000n)
    expect(await listUnfinished(stores[0].db, network)).toHaveLength(claimed.length)
  })
})

it('claims that come together take two round trips', async () => {
  await using database = await freshDatabase()
  await using proxy = await startPostgresProxy(database.url)
  await using store = await openStore({ kind: 'postgres', url: proxy.url, poolSize: 1 })
  await addChannels(store, 100)
  const batch = claimBatch(store.db)
  const before = proxy.roundTrips
  await Promise.all(Array.from({ length: 60 }, (_, index) => batch.write(claimRequest(`${index}`))))
  expect(proxy.roundTrips - before).toBe(2)
})
