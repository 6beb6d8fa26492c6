import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { countChannelUse } from '../../../../src/payments/store/channels/count.ts'
import { claimWithChannel } from '../../../../src/payments/store/settlements/claim/claim-with-channel.ts'
import {
  type LeaseOutcome,
  leaseChannels,
} from '../../../../src/payments/store/settlements/claim/lease-channels.ts'
import { releaseClaim } from '../../../../src/payments/store/settlements/claim/release.ts'
import type { SettlementKey } from '../../../../src/payments/store/settlements/settlement.ts'
import { openStore, type Store } from '../../../../src/platform/database/open.ts'
import { freshDatabase, type TestDatabase } from '../../../support/postgres.ts'
import { emptyTables } from '../../platform/database/open-stores.ts'
import { addChannels, claimRequest, network, sponsor } from './builders.ts'

interface Claim {
  readonly payer: string
  readonly payTo?: string
  readonly owner?: string
}

const keyOf = ({ payer }: Claim, nonce: string): SettlementKey => ({ network, payer, nonce })

/** Two connection pools stand for two replicas. */
describe('leases of several claims at once', () => {
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

  const claim = (nonce: string, { payTo = 'GSELLER', owner = 'one', ...it }: Claim) => {
    const facts = { ...claimRequest(nonce).facts, payTo }
    const request = claimRequest(nonce, { key: keyOf(it, nonce), facts, owner })
    return claimWithChannel(stores[0].db, request)
  }
  /** Claims while there is no channel, so that all of them wait. */
  const claimAll = (claims: readonly Claim[]) =>
    Promise.all(claims.map((it, index) => claim(`${index}`, it)))
  const lease = (
    claims: readonly Claim[],
    { store = stores[0], owner = 'one', attempt = 1, from = 0 } = {},
  ) =>
    leaseChannels(store.db, {
      ...{ network, sponsor, leaseTtlMs: 120_000, keptForMs: 2_500 },
      claims: claims.map((it, index) => ({ key: keyOf(it, `${from + index}`), owner, attempt })),
    })
  const inUse = async () => (await countChannelUse(stores[0].db, network, sponsor)).inUse
  const kinds = (outcomes: readonly LeaseOutcome[]) => outcomes.map(({ kind }) => kind)
  const accounts = (outcomes: readonly LeaseOutcome[]) =>
    outcomes.flatMap((outcome) => (outcome.kind === 'leased' ? [outcome.channel.account] : []))

  it('gives the free channels to the claims that began to wait first', async () => {
    const claims = ['a', 'b', 'c', 'd'].map((payer) => ({ payer }))
    await claimAll(claims)
    await addChannels(stores[0], 3)
    expect(await lease(claims)).toEqual([
      { kind: 'leased', channel: { account: 'GCHANNEL0', index: 0, sequence: 100n } },
      { kind: 'leased', channel: { account: 'GCHANNEL1', index: 1, sequence: 100n } },
      { kind: 'leased', channel: { account: 'GCHANNEL2', index: 2, sequence: 100n } },
      { kind: 'none_free' },
    ])
    expect(await lease([])).toEqual([])
  })

  it('gives the next channel to the payer who holds none, not to the one with 100 claims', async () => {
    const greedy = Array.from({ length: 100 }, () => ({ payer: 'greedy' }))
    const claims = [...greedy, { payer: 'modest' }]
    await claimAll(claims)
    await addChannels(stores[0], 1)
    expect(kinds(await lease(claims.slice(0, 1)))).toEqual(['leased'])
    await addChannels(stores[0], 2)
    const outcomes = await lease(claims.slice(1), { from: 1 })
    expect(kinds(outcomes.slice(-1))).toEqual(['leased'])
    expect(await inUse()).toBe(2)
  })

  it('counts what the payer holds through other replicas', async () => {
    await addChannels(stores[0], 1)
    await claim('elsewhere', { payer: 'greedy', owner: 'two' })
    const claims = [{ payer: 'greedy' }, { payer: 'modest' }]
    await claimAll(claims)
    await addChannels(stores[0], 2)
    expect(kinds(await lease(claims))).toEqual(['none_free', 'leased'])
  })

  it('takes payers in turn while several channels are free', async () => {
    const claims = ['a', 'a', 'a', 'b', 'b', 'c'].map((payer) => ({ payer }))
    await claimAll(claims)
    await addChannels(stores[0], 4)
    expect(accounts(await lease(claims))).toEqual([
      ...['GCHANNEL0', 'GCHANNEL3', 'GCHANNEL1', 'GCHANNEL2'],
    ])
  })

  it('gives one payer all channels that no other payer waits for', async () => {
    const claims = Array.from({ length: 5 }, () => ({ payer: 'a' }))
    await claimAll(claims)
    await addChannels(stores[0], 5)
    expect(new Set(kinds(await lease(claims)))).toEqual(new Set(['leased']))
  })

  it('prefers, among payers alike, the payTo that receives through the fewest channels', async () => {
    const claims = [
      { payer: 'a', payTo: 'busy' },
      { payer: 'b', payTo: 'busy' },
      { payer: 'c', payTo: 'busy' },
      { payer: 'd', payTo: 'quiet' },
    ]
    await claimAll(claims)
    await addChannels(stores[0], 2)
    expect(kinds(await lease(claims))).toEqual(['leased', 'none_free', 'none_free', 'leased'])
  })

  it('reports claims that were lost, and gives their channels to the others', async () => {
    const claims = ['a', 'b', 'c'].map((payer) => ({ payer }))
    await claimAll(claims)
    const [first] = claims
    await releaseClaim(stores[0].db, { key: keyOf(first!, '0'), owner: 'one', attempt: 1 })
    await addChannels(stores[0], 2)
    expect(kinds(await lease(claims))).toEqual(['claim_lost', 'leased', 'leased'])
    expect(kinds(await lease(claims, { owner: 'two' }))).toEqual(Array(3).fill('claim_lost'))
    expect(kinds(await lease(claims, { attempt: 2 }))).toEqual(Array(3).fill('claim_lost'))
    expect(await inUse()).toBe(2)
  })

  it('leases no channel twice, and leaves none idle, when two replicas lease at once', async () => {
    const CLAIMS = 12
    const CHANNELS = 16
    for (let round = 0; round < 15; round++) {
      const sides = ['one', 'two'].map((owner, index) => ({
        ...{ owner, store: stores[index]! },
        claims: Array.from({ length: CLAIMS }, (_, number) => ({
          payer: `${owner} ${round} ${number % 3}`,
          owner,
        })),
      }))
      await Promise.all(sides.map(({ claims }) => claimAll(claims)))
      await addChannels(stores[0], CHANNELS)
      const outcomes = await Promise.all(sides.map((side) => lease(side.claims, side)))
      const leased = outcomes.flatMap(accounts)
      expect(new Set(leased).size).toBe(leased.length)
      expect(await inUse()).toBe(leased.length)
      // Each replica passes over what the other has locked; the next round finds it.
      for (const side of sides) await lease(side.claims, side)
      expect(await inUse()).toBe(CHANNELS)
      await emptyTables(stores[0])
    }
  })
})
