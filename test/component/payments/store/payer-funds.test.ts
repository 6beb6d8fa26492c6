import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type {
  ClaimOutcome,
  ClaimRequest,
} from '../../../../src/payments/store/settlements/claim/claim-request.ts'
import { claimWithChannel } from '../../../../src/payments/store/settlements/claim/claim-with-channel.ts'
import { releaseClaim } from '../../../../src/payments/store/settlements/claim/release.ts'
import { findSettlement } from '../../../../src/payments/store/settlements/find.ts'
import { finishSettlement } from '../../../../src/payments/store/settlements/transitions/finish.ts'
import { recordEnvelope } from '../../../../src/payments/store/settlements/transitions/record.ts'
import { openStore, type Store } from '../../../../src/platform/database/open.ts'
import { freshDatabase } from '../../../support/postgres.ts'
import { emptyTables, openEmptyStore } from '../../platform/database/open-stores.ts'
import {
  addChannels,
  claimRequest,
  ending,
  fence,
  keyOf,
  NO_TIME,
  network,
  recording,
} from './builders.ts'

const facts = (amount: bigint, asset = 'CASSET') =>
  ({ scheme: 'exact', asset, payTo: 'GSELLER', amount }) as const

const limited = (nonce: string, funds?: bigint, overrides: Partial<ClaimRequest> = {}) =>
  claimRequest(nonce, { facts: facts(100n), limitToFunds: true, funds, ...overrides })

describe('the limit to the payer’s funds', () => {
  let store: Store
  beforeAll(async () => {
    store = await openEmptyStore()
  })
  afterEach(() => emptyTables(store))
  afterAll(() => store.close())

  const claim = async (...args: Parameters<typeof limited>): Promise<ClaimOutcome['kind']> =>
    (await claimWithChannel(store.db, limited(...args))).kind

  it('needs no balance for the only unfinished settlement of a payer', async () => {
    expect(await claim('1')).toBe('claimed')
  })

  it('asks for the balance when another settlement is unfinished, and writes nothing', async () => {
    await claim('1')
    expect(await claim('2')).toBe('funds_unknown')
    expect(await findSettlement(store.db, keyOf('2'))).toBeUndefined()
  })

  it('allows unfinished amounts up to the funds, and writes nothing beyond', async () => {
    await claim('1')
    expect(await claim('2', 199n)).toBe('over_funds')
    expect(await findSettlement(store.db, keyOf('2'))).toBeUndefined()
    expect(await claim('2', 200n)).toBe('claimed')
    expect(await claim('3', 299n)).toBe('over_funds')
    expect(await claim('3', 300n)).toBe('claimed')
  })

  it('refuses a single settlement over the funds', async () => {
    expect(await claim('1', 99n)).toBe('over_funds')
  })

  it('counts recorded settlements, but neither finished nor released ones', async () => {
    await addChannels(store, 1)
    await claim('1')
    await recordEnvelope(store.db, recording('1'))
    expect(await claim('2', 100n)).toBe('over_funds')
    await finishSettlement(store.db, ending('1'))
    expect(await claim('2', 100n)).toBe('claimed')
    await releaseClaim(store.db, fence('2'))
    expect(await claim('3', 100n)).toBe('claimed')
  })

  it('does not count the earlier attempt of the same settlement', async () => {
    await claim('1', undefined, { claimTtlMs: NO_TIME })
    expect(await claim('1', 100n, { owner: 'two' })).toBe('claimed')
  })

  it('counts an expired claim of another settlement: its owner may still record', async () => {
    await claim('1', undefined, { claimTtlMs: NO_TIME })
    expect(await claim('2', 199n)).toBe('over_funds')
  })

  it('counts each payer, asset and network alone', async () => {
    await claim('1')
    expect(await claim('2', 100n, { facts: facts(100n, 'COTHER') })).toBe('claimed')
    expect(await claim('', 100n, { key: { network, payer: 'GOTHER', nonce: '1' } })).toBe('claimed')
    const elsewhere = { network: 'stellar:pubnet', payer: 'GPAYER', nonce: '1' } as const
    expect(await claim('', 100n, { key: elsewhere })).toBe('claimed')
  })

  it('answers a repeat whatever the funds', async () => {
    await claim('1')
    await claim('2', 200n)
    expect(await claim('1', 0n)).toBe('existing')
    expect(await claim('1')).toBe('existing')
  })

  it('counts nothing without the limit', async () => {
    await claim('1')
    expect(await claim('2', undefined, { limitToFunds: false })).toBe('claimed')
  })
})

it('two replicas never claim more than the payer has', async () => {
  await using database = await freshDatabase()
  const open = () => openStore({ kind: 'postgres', url: database.url, poolSize: 8 })
  await using one = await open()
  await using two = await open()
  for (let round = 0; round < 10; round++) {
    const payer = `GPAYER${round}`
    const outcomes = await Promise.all(
      Array.from({ length: 12 }, (_, index) => {
        const key = { network, payer, nonce: `${index}` } as const
        const funds = round % 2 === 0 ? 350n : undefined
        return claimWithChannel((index % 2 ? one : two).db, limited('', funds, { key }))
      }),
    )
    const claimed = outcomes.filter(({ kind }) => kind === 'claimed')
    expect(claimed).toHaveLength(round % 2 === 0 ? 3 : 1)
  }
})
