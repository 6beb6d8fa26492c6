import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { countChannelUse } from '../../../../src/payments/store/channels/count.ts'
import { claimWithChannel } from '../../../../src/payments/store/settlements/claim/claim-with-channel.ts'
import { releaseClaim } from '../../../../src/payments/store/settlements/claim/release.ts'
import { findSettlement } from '../../../../src/payments/store/settlements/find.ts'
import { finishSettlement } from '../../../../src/payments/store/settlements/transitions/finish.ts'
import { recordEnvelope } from '../../../../src/payments/store/settlements/transitions/record.ts'
import { refuseAttempt } from '../../../../src/payments/store/settlements/transitions/refuse.ts'
import { restoreSucceeded } from '../../../../src/payments/store/settlements/transitions/restore.ts'
import { readUsage } from '../../../../src/payments/store/usage/read.ts'
import { asStroops } from '../../../../src/platform/core/amounts/stroops.ts'
import { asUsdUnits } from '../../../../src/platform/core/amounts/usd.ts'
import type { Store } from '../../../../src/platform/database/open.ts'
import { emptyTables, openEmptyStore } from '../../platform/database/open-stores.ts'
import {
  addChannels,
  claimRequest,
  fence,
  keyOf,
  network,
  recording,
  sha256,
  sponsor,
  submit,
} from './builders.ts'

let store: Store
beforeAll(async () => {
  store = await openEmptyStore()
})
afterEach(() => emptyTables(store))
afterAll(() => store.close())

const response = { success: true, transaction: sha256('lost') }
const restore = () =>
  restoreSucceeded(store.db, {
    ...{ key: keyOf('1'), attempt: 1, fingerprint: sha256('1'), sponsor },
    facts: claimRequest('1').facts,
    metering: { caller: 'key:paid', serviceFee: asUsdUnits(5n) },
    recorded: { ...recording('1'), txHash: sha256('lost'), recordedAtLedger: 7 },
    ...{ response, ledger: 9, feeCharged: asStroops(3n) },
  })
const restored = {
  state: 'succeeded',
  attempt: 1,
  fingerprint: sha256('1'),
  recorded: { txHash: sha256('lost') },
  outcome: { response, ledger: 9, feeCharged: 3n },
}
/** Requests, amount and fee of the successes that are counted for a caller. */
const usageOf = async (caller: string) =>
  (await readUsage(store.db, caller, 31)).map((row) => [
    ...[row.outcome, row.requests, row.settledAmount, row.feeAccrued],
  ])
/** What the budget of an hour counts for a caller; empty: for the sponsor. */
const feesOf = async (caller: string) => {
  const { rows } = await sql<{ fees: string }>`
    select fees_of_last_hour(${network}, ${sponsor}, ${caller}) as fees`.execute(store.db)
  return BigInt(rows[0]?.fees ?? -1)
}
const find = () => findSettlement(store.db, keyOf('1'))

it('stores a settlement that the store lacks, once', async () => {
  expect(await restore()).toBe('restored')
  expect(await find()).toMatchObject(restored)
  expect(await restore()).toBe('settled')
  expect(await usageOf('key:paid')).toEqual([['success', 1, 100_000n, 5n]])
})

it.each([
  { of: 'a claim', end: async () => undefined },
  { of: 'a released claim', end: () => releaseClaim(store.db, fence('1')) },
])(
  'accounts for it to the caller whose request has paid, not to that of $of in its place',
  async ({ end }) => {
    await addChannels(store, 1)
    const metering = { caller: 'key:other', serviceFee: asUsdUnits(7n) }
    // The fee that the other claim promised is the one that was charged.
    const budget = { fee: asStroops(3n), hourly: asStroops(10n) }
    await claimWithChannel(store.db, claimRequest('1', { metering, budget }))
    await end()
    expect(await restore()).toBe('restored')
    expect(await find()).toMatchObject({ metering: { caller: 'key:paid', serviceFee: 5n } })
    expect(await usageOf('key:paid')).toEqual([['success', 1, 100_000n, 5n]])
    expect(await usageOf('key:other')).toEqual([])
    expect(await feesOf('key:other')).toBe(0n)
    expect(await feesOf('key:paid')).toBe(3n)
    expect(await feesOf('')).toBe(3n)
  },
)

it('ends a claim of the same authorization, whose channel is free again', async () => {
  await addChannels(store, 1)
  await claimWithChannel(store.db, claimRequest('1'))
  expect(await restore()).toBe('restored')
  expect(await find()).toMatchObject(restored)
  expect((await countChannelUse(store.db, network, sponsor)).inUse).toBe(0)
  expect(await recordEnvelope(store.db, recording('1'))).toBe(false)
})

it('leaves a settlement alone that has another envelope', async () => {
  await addChannels(store, 1)
  await submit(store, '1')
  expect(await restore()).toBe('underway')
  expect(await find()).toMatchObject({
    state: 'submitted',
    recorded: { txHash: recording('1').txHash },
  })
})

it.each(['failed', 'expired'] as const)(
  'takes the place of another envelope that has %s, whose fee stays counted',
  async (state) => {
    await addChannels(store, 1)
    await submit(store, '1')
    const end = { state, response: { success: false }, sequence: 'keep' } as const
    const cost = state === 'failed' ? { ledger: 9, feeCharged: asStroops(2n) } : {}
    await finishSettlement(store.db, { key: keyOf('1'), attempt: 1, ...end, ...cost })
    expect(await restore()).toBe('restored')
    expect(await find()).toMatchObject(restored)
    expect(await usageOf('key:paid')).toEqual([['success', 1, 100_000n, 5n]])
    expect(await feesOf('')).toBe(state === 'failed' ? 5n : 3n)
    expect((await countChannelUse(store.db, network, sponsor)).inUse).toBe(0)
    expect(await restore()).toBe('settled')
  },
)

it('leaves its own failure alone, as an administrator has resolved it', async () => {
  await addChannels(store, 1)
  await claimWithChannel(store.db, claimRequest('1'))
  await recordEnvelope(store.db, recording('1', { txHash: sha256('lost') }))
  const end = { state: 'failed', response: { success: false }, sequence: 'keep' } as const
  await finishSettlement(store.db, { key: keyOf('1'), attempt: 1, ...end, ledger: 9 })
  expect(await restore()).toBe('settled')
  expect(await find()).toMatchObject({ state: 'failed' })
})

it('takes the place of a refused attempt, whose request pays nothing', async () => {
  await addChannels(store, 1)
  await submit(store, '1')
  const refusal = { key: keyOf('1'), attempt: 1, resultCode: 'txBAD_SEQ', recordedWithinMs: 60_000 }
  expect(await refuseAttempt(store.db, refusal)).toBe(true)
  expect(await find()).toMatchObject({ state: 'refused', attempt: 2 })
  expect(await restore()).toBe('restored')
  expect(await find()).toMatchObject({ ...restored, metering: { caller: 'key:paid' } })
  expect(await usageOf('key:paid')).toEqual([['success', 1, 100_000n, 5n]])
  expect(await usageOf('public')).toEqual([])
  expect(await feesOf('public')).toBe(0n)
  expect(await feesOf('')).toBe(3n)
  expect((await countChannelUse(store.db, network, sponsor)).inUse).toBe(0)
  expect(await restore()).toBe('settled')
})
