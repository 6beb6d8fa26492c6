import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { beginEpoch, type EpochStart } from '../../../../src/explorer/store/ingest/epochs.ts'
import { countGapLedgers, recordGap } from '../../../../src/explorer/store/ingest/gaps.ts'
import {
  acquireLease,
  holdLease,
  LeaseLost,
  releaseLease,
  renewLease,
} from '../../../../src/explorer/store/ingest/lease.ts'
import {
  type EpochKey,
  holdEpoch,
  moveProgress,
  noteFailure,
  notePoll,
  ProgressMoved,
  readProgress,
} from '../../../../src/explorer/store/ingest/progress.ts'
import { readIngest } from '../../../../src/explorer/store/ingest/read-ingest.ts'
import {
  addBackfill,
  listBackfills,
  moveBackfill,
} from '../../../../src/explorer/store/registry/backfills.ts'
import {
  type DbTransaction,
  inTransaction,
} from '../../../../src/platform/database/in-transaction.ts'
import type { Store } from '../../../../src/platform/database/open.ts'
import { openEmptyStore } from '../../platform/database/open-stores.ts'

const network = 'stellar:testnet'
const start: EpochStart = {
  tailFrom: 881,
  backfill: { from: 2, through: 880 },
  headLedger: 1_000,
  headClosedAt: 5_000,
}

describe('the rows of ingest in the store', () => {
  let store: Store
  beforeAll(async () => {
    store = await openEmptyStore()
  })
  afterAll(() => store.close())
  beforeEach(async () => {
    for (const table of ['lease', 'backfills', 'gaps', 'progress', 'epochs']) {
      await sql`delete from ${sql.table(`explorer_${table}`)}`.execute(store.db)
    }
  })

  const within = <T>(work: (transaction: DbTransaction) => Promise<T>) =>
    inTransaction(store.db, work)
  const begin = (old?: number, from = start): Promise<EpochKey> =>
    within((transaction) => beginEpoch(transaction, network, old, from))
  const entry = async () => (await readIngest(store.db, [network]))[0]

  describe('the lease', () => {
    it('is held by one process, renewed by its holder, and free once given back', async () => {
      const first = await acquireLease(store.db, 'a', 60_000)
      expect(first).toEqual({ holder: 'a', term: 1n })
      if (!first) return
      expect(await acquireLease(store.db, 'b', 60_000)).toBeUndefined()
      await renewLease(store.db, first, 60_000)
      await releaseLease(store.db, first)
      expect(await acquireLease(store.db, 'b', 60_000)).toEqual({ holder: 'b', term: 2n })
    })

    it('refuses renewals and writes of a holder that was followed by another', async () => {
      const first = await acquireLease(store.db, 'a', -1)
      const second = await acquireLease(store.db, 'b', 60_000)
      if (!first || !second) throw new Error('not acquired')
      await expect(renewLease(store.db, first, 60_000)).rejects.toThrow(LeaseLost)
      await expect(within((each) => holdLease(each, first))).rejects.toThrow(LeaseLost)
      await within((each) => holdLease(each, second))
      await releaseLease(store.db, first)
      expect(await acquireLease(store.db, 'c', 60_000)).toBeUndefined()
    })

    it('is still its holder’s when it has expired and no other process took it', async () => {
      const lease = await acquireLease(store.db, 'a', -1)
      if (!lease) throw new Error('not acquired')
      await within((each) => holdLease(each, lease))
      await renewLease(store.db, lease, 60_000)
      expect(await acquireLease(store.db, 'b', 60_000)).toBeUndefined()
    })
  })

  describe('the tail', () => {
    const move = { from: 880, lastLedger: 890, lastClosedAt: 4_500, headLedger: 1_001 }

    it('moves once from where it was read', async () => {
      const epoch = await begin()
      await within((each) => noteFailure(each, network, 'no endpoint answers'))
      expect(await entry()).toMatchObject({
        consecutiveFailures: 1,
        lastError: 'no endpoint answers',
      })
      await within((each) => moveProgress(each, epoch, move))
      expect(await readProgress(store.db, network)).toEqual({
        epoch: epoch.id,
        lastLedger: 890,
        lastClosedAt: 4_500,
        highWater: 1_001,
        headLedger: 1_001,
      })
      expect(await entry()).toMatchObject({ consecutiveFailures: 0, lastLedger: 890 })
      await expect(within((each) => moveProgress(each, epoch, move))).rejects.toThrow(ProgressMoved)
    })

    it('ends its failures with a poll that finds nothing new', async () => {
      await begin()
      await within((each) => noteFailure(each, network, 'no endpoint answers'))
      await within((each) => notePoll(each, network))
      expect((await entry())?.consecutiveFailures).toBe(0)
      expect(await entry()).not.toHaveProperty('lastError')
    })
  })

  describe('backfills', () => {
    it('are read from the oldest ledger on, and end', async () => {
      const epoch = await begin()
      await within((each) => addBackfill(each, epoch, { from: 1_200, through: 1_300 }))
      await within((each) => addBackfill(each, epoch, { from: 10, through: 9 }))
      expect(await listBackfills(store.db, epoch)).toEqual([
        { next: 2, target: 880 },
        { next: 1_200, target: 1_300 },
      ])
      expect((await entry())?.backfill).toBe('running (target ledger 1300)')
      await within((each) => moveBackfill(each, epoch, { next: 2, target: 880 }, 500))
      const again = within((each) => moveBackfill(each, epoch, { next: 2, target: 880 }, 500))
      await expect(again).rejects.toThrow(ProgressMoved)
      await within((each) => moveBackfill(each, epoch, { next: 500, target: 880 }, 881))
      await within((each) => moveBackfill(each, epoch, { next: 1_200, target: 1_300 }, 1_305))
      expect(await listBackfills(store.db, epoch)).toEqual([])
      expect((await entry())?.backfill).toBe('done')
    })
  })

  describe('gaps', () => {
    it('that touch are one', async () => {
      const epoch = await begin()
      const gap = (from: number, through: number) =>
        within((each) => recordGap(each, epoch, { from, through }))
      await gap(10, 19)
      await gap(30, 39)
      await gap(5, 7)
      expect((await entry())?.gaps).toHaveLength(3)
      await gap(20, 29)
      expect((await entry())?.gaps).toEqual([
        { fromLedger: 10, throughLedger: 39 },
        { fromLedger: 5, throughLedger: 7 },
      ])
      await gap(5, 9)
      expect((await entry())?.gaps).toEqual([{ fromLedger: 5, throughLedger: 39 }])
      expect(await countGapLedgers(store.db, epoch)).toBe(35)
    })
  })

  describe('a reset', () => {
    it('begins an epoch, and makes a gap of what was not read of the old one', async () => {
      const old = await begin()
      const before = await entry()
      const epoch = await begin(old.id, {
        tailFrom: 1,
        backfill: { from: 1, through: 0 },
        headLedger: 7,
        headClosedAt: 9_000,
      })
      expect(epoch.id).not.toBe(old.id)
      // Of the backfill, and between the tail and the head.
      expect(await countGapLedgers(store.db, old)).toBe(999)
      const after = await entry()
      expect(after).toMatchObject({ lastLedger: 0, headLedger: 7, backfill: 'done', gaps: [] })
      expect(after?.epoch).not.toBe(before?.epoch)
      await expect(within((each) => holdEpoch(each, old))).rejects.toThrow(ProgressMoved)
      await within((each) => holdEpoch(each, epoch))
    })

    it('is begun by one process only', async () => {
      const old = await begin()
      await begin(old.id)
      await expect(begin(old.id)).rejects.toThrow(ProgressMoved)
      await expect(begin()).rejects.toThrow(ProgressMoved)
    })
  })

  it('have an entry for a network that was never reached', async () => {
    expect(await readIngest(store.db, ['stellar:pubnet'])).toEqual([
      { network: 'stellar:pubnet', consecutiveFailures: 0, backfill: 'done', gaps: [] },
    ])
  })
})
