import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { countChannelUse } from '../../../../src/payments/store/channels/count.ts'
import { claimWithChannel } from '../../../../src/payments/store/settlements/claim/claim-with-channel.ts'
import { releaseClaim } from '../../../../src/payments/store/settlements/claim/release.ts'
import { findSettlement } from '../../../../src/payments/store/settlements/find.ts'
import { readPromisedFees } from '../../../../src/payments/store/settlements/promised-fees.ts'
import { finishSettlement } from '../../../../src/payments/store/settlements/transitions/finish.ts'
import {
  finishRefusedAsSucceeded,
  listRefusedAttempts,
  refuseAttempt,
} from '../../../../src/payments/store/settlements/transitions/refuse.ts'
import { asStroops } from '../../../../src/platform/core/amounts/stroops.ts'
import type { Store } from '../../../../src/platform/database/open.ts'
import { untilLockWaits } from '../../../support/lock-waits.ts'
import { emptyTables, openEmptyStore } from '../../platform/database/open-stores.ts'
import {
  addChannels,
  claimRequest,
  ending,
  fence,
  keyOf,
  network,
  sha256,
  sponsor,
  submit,
} from './builders.ts'

describe('a refused settlement', () => {
  let store: Store
  beforeAll(async () => {
    store = await openEmptyStore()
  })
  afterEach(() => emptyTables(store))
  afterAll(() => store.close())

  const refuse = (nonce: string, changes: { attempt?: number; recordedWithinMs?: number } = {}) =>
    refuseAttempt(store.db, {
      key: keyOf(nonce),
      attempt: 1,
      resultCode: 'txInsufficientBalance',
      recordedWithinMs: 60_000,
      ...changes,
    })
  const find = (nonce: string) => findSettlement(store.db, keyOf(nonce))
  const claim = (nonce: string) => claimWithChannel(store.db, claimRequest(nonce))
  const promised = () => readPromisedFees(store.db, { network, sponsor, balanceLedger: 1 })

  const successes = async () => {
    const { rows } = await sql<{ requests: bigint }>`
      select coalesce(sum(requests), 0)::bigint as requests from usage_counts
      where outcome = 'success'`.execute(store.db)
    return rows[0]?.requests ?? 0n
  }

  it('is claimed again for the same request, and for no other', async () => {
    await addChannels(store, 2)
    await submit(store, '1')
    await refuse('1')
    const { facts } = claimRequest('1')
    const resourceUrl = 'https://shop.example/other'
    const other = claimRequest('1', {
      fingerprint: sha256('another request'),
      facts: { ...facts, resourceUrl },
    })
    expect(await claimWithChannel(store.db, other)).toMatchObject({
      kind: 'existing',
      settlement: { state: 'refused', fingerprint: sha256('1') },
    })
    expect(await claim('1')).toMatchObject({ kind: 'claimed', attempt: 3 })
    await releaseClaim(store.db, fence('1', { attempt: 3 }))
    expect(await claimWithChannel(store.db, other)).toMatchObject({
      kind: 'existing',
      settlement: { state: 'released', fingerprint: sha256('1') },
    })
  })

  it('is claimed for no other request whose claim waited while the attempt was refused', async () => {
    await addChannels(store, 2)
    await submit(store, '1')
    const other = claimRequest('1', { fingerprint: sha256('another request') })
    const begun = Promise.withResolvers<void>()
    const mayCommit = Promise.withResolvers<void>()
    const refusing = store.db.transaction().execute(async (transaction) => {
      await refuseAttempt(transaction, {
        key: keyOf('1'),
        attempt: 1,
        resultCode: 'txInsufficientBalance',
        recordedWithinMs: 60_000,
      })
      begun.resolve()
      await mayCommit.promise
    })
    await begun.promise
    const claiming = claimWithChannel(store.db, other)
    await untilLockWaits(store.db, 1)
    mayCommit.resolve()
    await refusing
    expect(await claiming).toMatchObject({
      kind: 'existing',
      settlement: { state: 'refused', fingerprint: sha256('1') },
    })
    expect(await claim('1')).toMatchObject({ kind: 'claimed' })
  })

  it('keeps its envelope, frees its channel and promises no fee', async () => {
    await addChannels(store, 1)
    await submit(store, '1')
    expect(await promised()).toBe(40_000n)
    expect(await refuse('1')).toBe(true)
    expect(await find('1')).toMatchObject({ state: 'refused', attempt: 2, recorded: undefined })
    expect(await listRefusedAttempts(store.db, keyOf('1'))).toMatchObject([
      { attempt: 1, txHash: sha256('hash of 1'), innerHash: sha256('inner hash of 1') },
    ])
    expect((await countChannelUse(store.db, network, sponsor)).inUse).toBe(0)
    expect(await store.db.selectFrom('channels').select(['sequence', 'misses']).execute()).toEqual([
      { sequence: null, misses: 0 },
    ])
    expect(await promised()).toBe(0n)
    const { rows } = await sql<{ fees: bigint }>`
      select sum(fees)::bigint as fees from fee_totals where caller = ''`.execute(store.db)
    expect(rows).toEqual([{ fees: 0n }])
  })

  it('is claimed again, as a later attempt', async () => {
    await addChannels(store, 1)
    await submit(store, '1')
    await refuse('1')
    expect(await claim('1')).toMatchObject({ kind: 'claimed', attempt: 3 })
    expect(await promised()).toBe(40_000n)
  })

  it.each([
    ['of another attempt', { attempt: 2 }],
    ['that was recorded too long ago', { recordedWithinMs: 0 }],
  ])('is no row %s', async (_, changes) => {
    await addChannels(store, 1)
    await submit(store, '1')
    expect(await refuse('1', changes)).toBe(false)
    expect(await find('1')).toMatchObject({ state: 'submitted', attempt: 1 })
    expect(await listRefusedAttempts(store.db, keyOf('1'))).toEqual([])
  })

  it('is no claim and no final row', async () => {
    await addChannels(store, 2)
    await claim('1')
    expect(await refuse('1')).toBe(false)
    await submit(store, '2')
    await finishSettlement(store.db, ending('2'))
    expect(await refuse('2')).toBe(false)
    expect(await find('2')).toMatchObject({ state: 'succeeded' })
  })

  it('cannot be finished by a process that follows the refused attempt', async () => {
    await addChannels(store, 1)
    await submit(store, '1')
    await refuse('1')
    await expect(finishSettlement(store.db, ending('1'))).rejects.toThrow(
      'it is refused, attempt 2',
    )
  })

  it('succeeds with the transaction of a refused attempt that a ledger has after all', async () => {
    await addChannels(store, 1)
    await submit(store, '1')
    await refuse('1')
    const { response } = ending('1')
    const before = await successes()
    const landed = { key: keyOf('1'), attempt: 1, response, ledger: 9, feeCharged: asStroops(3n) }
    expect(await finishRefusedAsSucceeded(store.db, landed)).toMatchObject({
      state: 'succeeded',
      recorded: { txHash: sha256('hash of 1') },
      outcome: { response, ledger: 9, feeCharged: 3n },
    })
    expect(await finishRefusedAsSucceeded(store.db, landed)).toBeUndefined()
    expect(await successes()).toBe(before + 1n)
  })

  it.each(['released', 'abandoned'] as const)(
    'succeeds with that transaction also when a later attempt was %s',
    async (state) => {
      await addChannels(store, 1)
      await submit(store, '1')
      await refuse('1')
      await claim('1')
      const { response } = ending('1')
      const landed = { key: keyOf('1'), attempt: 1, response, ledger: 9, feeCharged: asStroops(3n) }
      expect(await finishRefusedAsSucceeded(store.db, landed)).toBeUndefined()
      await sql`update settlements set state = ${state}`.execute(store.db)
      const before = await successes()
      expect(await finishRefusedAsSucceeded(store.db, landed)).toMatchObject({
        state: 'succeeded',
        recorded: { txHash: sha256('hash of 1') },
      })
      expect(await successes()).toBe(before + 1n)
    },
  )

  it.each(['submitted', 'released', 'failed', 'refused'])('does not become %s', async (state) => {
    await addChannels(store, 1)
    await submit(store, '1')
    await refuse('1')
    await expect(
      sql`update settlements set state = ${state}`.execute(store.db),
    ).rejects.toMatchObject({ constraint: 'recorded_rows_never_change' })
  })
})
