import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, it, test } from 'vitest'
import { claimWithChannel } from '../../../../src/payments/store/settlements/claim/claim-with-channel.ts'
import { flagUnresolvable } from '../../../../src/payments/store/settlements/due.ts'
import {
  lookUpSettlement,
  readOthersAmount,
} from '../../../../src/payments/store/settlements/look-up.ts'
import { finishSettlement } from '../../../../src/payments/store/settlements/transitions/finish.ts'
import { recordEnvelope } from '../../../../src/payments/store/settlements/transitions/record.ts'
import type { Store } from '../../../../src/platform/database/open.ts'
import { emptyTables, openEmptyStore } from '../../platform/database/open-stores.ts'
import { addChannels, claimRequest, ending, keyOf, recording, submit } from './builders.ts'

const pause = {
  failures: 3,
  codes: ['insufficient_funds', 'smart_account_rejected'],
  windowSeconds: 300,
  pauseSeconds: 60,
}

interface Failure {
  /** Seconds ago. */
  readonly ago: number
  readonly code?: string
}

describe('the look-up of a settlement', () => {
  let store: Store
  beforeAll(async () => {
    store = await openEmptyStore()
  })
  afterEach(async () => {
    // Final rows never change, so a test that gives one an earlier time has to go round the rule.
    await sql`alter table settlements enable trigger recorded_rows_never_change`.execute(store.db)
    await emptyTables(store)
  })
  afterAll(() => store.close())

  const lookUp = (nonce = 'new', asset = 'CASSET') =>
    lookUpSettlement(store.db, { key: keyOf(nonce), asset, pause })

  async function fail(failures: readonly Failure[]): Promise<void> {
    await addChannels(store, failures.length)
    await sql`alter table settlements disable trigger recorded_rows_never_change`.execute(store.db)
    for (const [index, { ago, code = 'insufficient_funds' }] of failures.entries()) {
      await submit(store, String(index))
      const failed = { state: 'failed', failureCode: code } as const
      await finishSettlement(store.db, ending(String(index), failed))
      await sql`update settlements
        set finished_at = statement_timestamp() - ${ago}::double precision * interval '1 second'
        where nonce = ${String(index)}`.execute(store.db)
    }
  }

  it('finds nothing in an empty store', async () => {
    const nothing = { settlement: undefined, hasOthers: false, pausedForMs: 0 }
    expect(await lookUp()).toEqual(nothing)
  })

  it('sums what the other unfinished payments of the asset take of the balance on a ledger', async () => {
    const others = (ledger: number, nonce = 'new', asset = 'CASSET') =>
      readOthersAmount(store.db, { key: keyOf(nonce), asset, ledger })
    expect(await others(7)).toBe(0n)
    await addChannels(store, 3)
    for (const nonce of ['claimed', 'submitted', 'ended']) {
      const facts = { ...claimRequest(nonce).facts, amount: 100n }
      await claimWithChannel(store.db, claimRequest(nonce, { facts }))
    }
    const recorded = { ledger: 7, sequenceUsed: 101n }
    await recordEnvelope(store.db, recording('submitted', { ...recorded, channel: 'GCHANNEL1' }))
    await recordEnvelope(store.db, recording('ended', { ...recorded, channel: 'GCHANNEL2' }))
    await finishSettlement(store.db, ending('ended'))
    // Recorded on ledger 7: the balance of a later one may include it.
    expect(await Promise.all([others(6), others(7), others(8)])).toEqual([200n, 200n, 100n])
    expect(await others(7, 'claimed')).toBe(100n)
    expect(await others(7, 'new', 'COTHER')).toBe(0n)
    await flagUnresolvable(store.db, keyOf('submitted'), 'the ledger is gone', 60_000)
    expect(await others(7)).toBe(100n)
  })

  it('finds the settlement of the authorization in any state', async () => {
    await addChannels(store, 1)
    await submit(store, '1')
    expect((await lookUp('1')).settlement).toMatchObject({ key: keyOf('1'), state: 'submitted' })
    await finishSettlement(store.db, ending('1'))
    expect((await lookUp('1')).settlement).toMatchObject({ state: 'succeeded' })
  })

  it('reports whether the payer has other unfinished settlements of the asset', async () => {
    await claimWithChannel(store.db, claimRequest('1'))
    expect(await lookUp('1')).toMatchObject({ hasOthers: false })
    expect(await lookUp('2')).toMatchObject({ hasOthers: true, settlement: undefined })
    expect(await lookUp('2', 'COTHER')).toMatchObject({ hasOthers: false })
  })

  it('ignores settlements that are finished or unresolvable', async () => {
    await addChannels(store, 2)
    await submit(store, '1')
    await submit(store, '2')
    await finishSettlement(store.db, ending('1'))
    await flagUnresolvable(store.db, keyOf('2'), 'the network was reset', 60_000)
    expect(await lookUp()).toMatchObject({ hasOthers: false })
  })

  test.each<{ when: string; failures: readonly Failure[]; seconds: number }>([
    { when: 'is not paused by two failures', failures: [{ ago: 1 }, { ago: 1 }], seconds: 0 },
    {
      when: 'is paused from the third failure on',
      failures: [{ ago: 200 }, { ago: 100 }, { ago: 10 }],
      seconds: 50,
    },
    {
      when: 'is not paused when the first of three is too old',
      failures: [{ ago: 320 }, { ago: 100 }, { ago: 10 }],
      seconds: 0,
    },
    {
      when: 'is no longer paused after the time of the pause',
      failures: [{ ago: 70 }, { ago: 65 }, { ago: 61 }],
      seconds: 0,
    },
    {
      when: 'is paused for longer by a failure during the pause',
      failures: [{ ago: 70 }, { ago: 65 }, { ago: 58 }, { ago: 20 }],
      seconds: 40,
    },
    {
      when: 'stays paused when a later failure finds fewer in its own window',
      failures: [{ ago: 340 }, { ago: 338 }, { ago: 45 }, { ago: 5 }],
      seconds: 15,
    },
    {
      when: "is not paused by failures that are not the payer's",
      failures: [{ ago: 3, code: 'trapped' }, { ago: 2 }, { ago: 1 }],
      seconds: 0,
    },
  ])('$when', async ({ failures, seconds }) => {
    await fail(failures)
    const { pausedForMs } = await lookUp()
    // Less by what the test has taken until now.
    expect(pausedForMs).toBeLessThanOrEqual(seconds * 1_000)
    expect(pausedForMs > 0).toBe(seconds > 0)
    expect(pausedForMs).toBeGreaterThanOrEqual((seconds - 10) * 1_000)
  })

  it('never pauses without a rule', async () => {
    await fail([{ ago: 3 }, { ago: 2 }, { ago: 1 }])
    const found = await lookUpSettlement(store.db, { key: keyOf('new'), asset: 'CASSET' })
    expect(found.pausedForMs).toBe(0)
  })
})
