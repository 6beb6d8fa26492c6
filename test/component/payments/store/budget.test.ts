import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { claimWithChannel } from '../../../../src/payments/store/settlements/claim/claim-with-channel.ts'
import { releaseClaim } from '../../../../src/payments/store/settlements/claim/release.ts'
import { findSettlement } from '../../../../src/payments/store/settlements/find.ts'
import { finishSettlement } from '../../../../src/payments/store/settlements/transitions/finish.ts'
import { recordEnvelope } from '../../../../src/payments/store/settlements/transitions/record.ts'
import { asStroops } from '../../../../src/platform/core/amounts/stroops.ts'
import type { Store } from '../../../../src/platform/database/open.ts'
import { emptyTables, openEmptyStore } from '../../platform/database/open-stores.ts'
import { addChannels, claimRequest, ending, fence, recording } from './builders.ts'

const hourly = asStroops(100_000n)
const asking = (nonce: string, fee: bigint) =>
  claimRequest(nonce, { budget: { fee: asStroops(fee), hourly } })

const claimKind = async (store: Store, nonce: string, fee: bigint) =>
  (await claimWithChannel(store.db, asking(nonce, fee))).kind

describe('the hourly budget', () => {
  let store: Store
  beforeAll(async () => {
    store = await openEmptyStore()
  })
  beforeEach(() => emptyTables(store))
  afterAll(() => store.close())

  it('can be spent to the last stroop, and nothing is written beyond it', async () => {
    expect(await claimKind(store, '1', 60_000n)).toBe('claimed')
    expect(await claimKind(store, '2', 40_001n)).toBe('over_budget')
    expect(await findSettlement(store.db, asking('2', 1n).key)).toBeUndefined()
    expect(await claimKind(store, '2', 40_000n)).toBe('claimed')
    expect(await claimKind(store, '3', 1n)).toBe('over_budget')
  })

  it('gets back the fee that a released claim had promised', async () => {
    await claimKind(store, '1', 100_000n)
    await releaseClaim(store.db, fence('1'))
    expect(await claimKind(store, '2', 100_000n)).toBe('claimed')
  })

  it('counts what the ledger charged once it is known', async () => {
    await addChannels(store, 1)
    await claimKind(store, '1', 100_000n)
    await recordEnvelope(store.db, recording('1'))
    expect(await claimKind(store, '2', 1n)).toBe('over_budget')
    await finishSettlement(store.db, ending('1', { feeCharged: asStroops(33_000n) }))
    expect(await claimKind(store, '2', 67_001n)).toBe('over_budget')
    expect(await claimKind(store, '2', 67_000n)).toBe('claimed')
  })

  it('answers a repeat also when nothing is left', async () => {
    await claimKind(store, '1', 100_000n)
    expect(await claimKind(store, '1', 100_000n)).toBe('existing')
  })

  it('is each sponsor’s own, and none without a limit', async () => {
    await claimKind(store, '1', 100_000n)
    const other = { ...asking('2', 100_000n), sponsor: 'GOTHER' }
    expect((await claimWithChannel(store.db, other)).kind).toBe('claimed')
    const unlimited = claimRequest('3', { budget: { fee: asStroops(100_000n) } })
    expect((await claimWithChannel(store.db, unlimited)).kind).toBe('claimed')
  })
})

it('is never exceeded by many claims at once', async () => {
  await using one = await openEmptyStore()
  const claims = await Promise.all(
    Array.from({ length: 60 }, (_, index) => claimKind(one, String(index), 7_000n)),
  )
  expect(claims.filter((outcome) => outcome === 'claimed')).toHaveLength(14)
})
