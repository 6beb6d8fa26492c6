import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { countChannelUse } from '../../../../src/payments/store/channels/count.ts'
import type { ClaimOutcome } from '../../../../src/payments/store/settlements/claim/claim-request.ts'
import {
  claimBatch,
  claimWithChannel,
} from '../../../../src/payments/store/settlements/claim/claim-with-channel.ts'
import {
  FEW_ONE_IN,
  KEPT_ONE_IN,
} from '../../../../src/payments/store/settlements/claim/kept-channels.ts'
import {
  type LeaseOutcome,
  leaseChannels,
} from '../../../../src/payments/store/settlements/claim/lease-channels.ts'
import type { SettlementKey } from '../../../../src/payments/store/settlements/settlement.ts'
import { openStore, type Store } from '../../../../src/platform/database/open.ts'
import { freshDatabase, type TestDatabase } from '../../../support/postgres.ts'
import { emptyTables } from '../../platform/database/open-stores.ts'
import { addPool, claimRequest, network, sponsor } from './builders.ts'

const CHANNELS = 8
/** Longer than any test takes. */
const KEPT_FOR_MS = 3_600_000
const KEPT = CHANNELS / KEPT_ONE_IN
const SHARED = CHANNELS - KEPT

/** Two connection pools stand for two replicas. */
describe('channels that are kept for payers that hold few', () => {
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

  const request = (name: string, owner = 'one') => claimRequest(name, { key: keyOf(name), owner })
  /** Claims of which none gets a channel, where there is none yet. */
  const wait = (names: readonly string[], owner = 'one') =>
    Promise.all(names.map((name) => claimWithChannel(stores[0].db, request(name, owner))))
  const lease = async (names: readonly string[], { store = stores[0], owner = 'one' } = {}) =>
    leaseChannels(store.db, {
      network,
      sponsor,
      leaseTtlMs: 120_000,
      keptForMs: KEPT_FOR_MS,
      claims: names.map((name) => ({ key: keyOf(name), owner, attempt: 1 })),
    })
  const leased = (outcomes: readonly LeaseOutcome[]) => kinds(outcomes).filter(isLeased).length
  const setBack = (ms: number, { claims = 0, channels = 0 }) =>
    Promise.all([
      sql`update settlements set claimed_at = claimed_at - ${claims * ms} * interval '1 ms'`.execute(
        stores[0].db,
      ),
      sql`update channels set last_used_at = clock_timestamp() - ${channels * ms} * interval '1 ms'`.execute(
        stores[0].db,
      ),
    ])

  it('leave the next payers a channel each, when one address claims twice as many as there are', async () => {
    await addPool(stores[0], CHANNELS)
    const batch = claimBatch(stores[0].db)
    const greedy = many('greedy', 2 * CHANNELS)
    const claimed = await Promise.all(greedy.map((name) => batch.write(request(name))))
    const served = greedy.filter((_, index) => hasChannel(claimed[index]!))
    expect(served).toHaveLength(SHARED)
    const next = Array.from({ length: KEPT }, (_, index) => `next${index} 1`)
    // The claim's own statement compares no payers, so it leaves them alone.
    expect((await wait([...next, 'late 1'])).some(hasChannel)).toBe(false)
    const held = greedy.filter((name) => !served.includes(name))
    expect(kinds(await lease([...held, ...next, 'late 1']))).toEqual([
      ...held.map(() => 'none_free'),
      ...next.map(() => 'leased'),
      'none_free',
    ])
  })

  it('go to waiting payers without one, while the claims of others are held back', async () => {
    await wait([...many('greedy', CHANNELS), 'modest 1'])
    await addPool(stores[0], CHANNELS)
    const greedy = await lease(many('greedy', CHANNELS))
    expect(kinds(greedy)).toEqual([...Array(SHARED).fill('leased'), ...Array(KEPT).fill('kept')])
    const held = many('greedy', CHANNELS).slice(SHARED)
    expect(kinds(await lease([...held, 'modest 1']))).toEqual(['kept', 'kept', 'leased'])
  })

  it('are reported as none free once payers without one have them all', async () => {
    const modest = Array.from({ length: KEPT }, (_, index) => `modest${index} 1`)
    const names = [...many('greedy', CHANNELS), ...modest]
    await wait(names)
    await addPool(stores[0], CHANNELS)
    const first = many('greedy', SHARED)
    expect(kinds(await lease(first))).toEqual(Array(SHARED).fill('leased'))
    const rest = names.slice(SHARED)
    expect(kinds(await lease(rest))).toEqual(['none_free', 'none_free', 'leased', 'leased'])
  })

  it.each([
    { when: 'go to any claim once they were idle while it waited', claims: 1, channels: 1 },
    { when: 'are kept from a claim that has just begun to wait', claims: 0, channels: 1 },
    { when: 'are kept from any claim when they were just freed', claims: 1, channels: 0 },
  ])('$when', async ({ claims, channels }) => {
    const names = many('greedy', CHANNELS)
    await wait(names)
    await addPool(stores[0], CHANNELS)
    await setBack(KEPT_FOR_MS + 1, { claims, channels })
    const expected = claims && channels ? CHANNELS : SHARED
    expect(leased(await lease(names))).toBe(expected)
  })

  it('go to payers whose share of the pool is small, beside one whose share is not', async () => {
    const channels = 2 * FEW_ONE_IN
    const [kept, shared] = [channels / KEPT_ONE_IN, channels - channels / KEPT_ONE_IN]
    const few = channels / FEW_ONE_IN
    const greedy = many('greedy', shared)
    const modest = many('modest', few + 1)
    await wait([...greedy, ...modest])
    await addPool(stores[0], channels)
    expect(leased(await lease(greedy))).toBe(shared)
    expect(kinds(await lease(modest))).toEqual([...Array(few).fill('leased'), 'kept'])
    const others = Array.from({ length: kept - few }, (_, index) => `other${index} 1`)
    await wait(others)
    expect(kinds(await lease([...others, ...modest.slice(few)]))).toEqual([
      ...others.map(() => 'leased'),
      'none_free',
    ])
  })

  it('are none where there are fewer than four', async () => {
    const names = many('greedy', KEPT_ONE_IN)
    await wait(names)
    await addPool(stores[0], KEPT_ONE_IN - 1)
    expect(kinds(await lease(names))).toEqual(['leased', 'leased', 'leased', 'none_free'])
  })

  it('stay free when two replicas lease for one address at once', async () => {
    for (let round = 0; round < 10; round += 1) {
      const sides = ['one', 'two'].map((owner, index) => ({
        ...{ owner, store: stores[index]! },
        names: many('greedy', CHANNELS, owner),
      }))
      for (const { names, owner } of sides) await wait(names, owner)
      await wait(['greedy first'])
      await wait(['modest 1'], 'two')
      await addPool(stores[0], CHANNELS)
      await lease(['greedy first'])
      await Promise.all(sides.map((side) => lease(side.names, side)))
      // Each passes over what the other has locked; the next round finds it.
      for (const side of sides) await lease(side.names, side)
      expect((await countChannelUse(stores[0].db, network, sponsor)).inUse).toBe(SHARED)
      expect(kinds(await lease(['modest 1'], sides[1]))).toEqual(['leased'])
      await emptyTables(stores[0])
    }
  })
})

/** The name of a claim is its payer and its nonce. */
const keyOf = (name: string): SettlementKey => {
  const [payer = '', nonce = ''] = name.split(' ')
  return { network, payer, nonce }
}

const many = (payer: string, count: number, prefix = ''): string[] =>
  Array.from({ length: count }, (_, index) => `${payer} ${prefix}${index}`)

const hasChannel = (outcome: ClaimOutcome) =>
  outcome.kind === 'claimed' && outcome.channel !== undefined
const kinds = (outcomes: readonly LeaseOutcome[]) => outcomes.map(({ kind }) => kind)
const isLeased = (kind: string) => kind === 'leased'
