import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { claimWithChannel } from '../../../../src/payments/store/settlements/claim/claim-with-channel.ts'
import { readPromisedFees } from '../../../../src/payments/store/settlements/promised-fees.ts'
import {
  acquireKeeperLease,
  type KeeperLease,
  KeeperLeaseLost,
  releaseKeeperLease,
} from '../../../../src/payments/store/upto/keeper-lease.ts'
import {
  findKeeperTransaction,
  finishKeeperTransaction,
  recordKeeperEnvelope,
  reserveKeeperFee,
} from '../../../../src/payments/store/upto/keeper-transactions.ts'
import { asStroops } from '../../../../src/platform/core/amounts/stroops.ts'
import type { Store } from '../../../../src/platform/database/open.ts'
import { emptyTables, openEmptyStore } from '../../platform/database/open-stores.ts'
import { addChannels, claimRequest, network, sponsor } from './builders.ts'

const hourly = asStroops(100_000n)
const budget = { fee: asStroops(40_000n), hourly }
const envelope = { hash: 'ab'.repeat(32), envelopeXdr: 'AAAA', maxTime: 60, recordedAtLedger: 7 }

describe('the fees and the lease of a keeper', () => {
  let store: Store
  beforeAll(async () => {
    store = await openEmptyStore()
  })
  afterEach(async () => {
    await store.db.deleteFrom('upto_keeper_transactions').execute()
    await store.db.deleteFrom('upto_keepers').execute()
    await emptyTables(store)
  })
  afterAll(() => store.close())

  const leaseOf = async (contract: string): Promise<KeeperLease> => {
    const request = { holder: 'keeper', ttlMs: 60_000, whenDue: true }
    const lease = await acquireKeeperLease(store.db, { network, contract }, request)
    if (!lease) throw new Error('another keeper has the lease')
    return lease
  }
  const reserve = (lease: KeeperLease, fee: bigint) =>
    reserveKeeperFee(store.db, lease, {
      action: 'extend',
      sponsor,
      fee: asStroops(fee),
      hourlyBudget: hourly,
    })
  /** By a balance of the ledger before the one in which a transaction below ends. */
  const promised = () => readPromisedFees(store.db, { network, sponsor, balanceLedger: 8 })

  it('share one hourly budget with payments, also when all come at once', async () => {
    await addChannels(store, 3)
    const leases = await Promise.all(['CA', 'CB', 'CC'].map(leaseOf))
    const outcomes = await Promise.all([
      ...leases.map((lease) => reserve(lease, 40_000n)),
      ...['1', '2', '3'].map((nonce) =>
        claimWithChannel(store.db, claimRequest(nonce, { budget })),
      ),
    ])
    const kinds = outcomes.map(({ kind: outcome }) => outcome)
    expect(kinds.filter((outcome) => outcome === 'reserved' || outcome === 'claimed')).toHaveLength(
      2,
    )
    expect(kinds.filter((outcome) => outcome === 'over_budget')).toHaveLength(4)
    expect(await promised()).toBe(80_000n)
  })

  it('count the maximum while a transaction is under way, then the charge, and nothing of a released one', async () => {
    const lease = await leaseOf('CA')
    const first = await reserve(lease, 90_000n)
    if (first.kind !== 'reserved') throw new Error(first.kind)
    expect(await promised()).toBe(90_000n)
    await recordKeeperEnvelope(store.db, lease, first.id, envelope)
    expect(await findKeeperTransaction(store.db, lease)).toMatchObject({ id: first.id, envelope })
    expect(await claimWithChannel(store.db, claimRequest('1', { budget }))).toEqual({
      kind: 'over_budget',
    })
    const done = { id: first.id, action: 'extend', hash: envelope.hash } as const
    const outcome = { state: 'succeeded', ledger: 9, feeCharged: asStroops(50_000n) } as const
    await finishKeeperTransaction(store.db, lease, done, outcome)
    expect(await promised()).toBe(50_000n)
    const second = await reserve(lease, 50_000n)
    if (second.kind !== 'reserved') throw new Error(second.kind)
    await finishKeeperTransaction(
      store.db,
      lease,
      { id: second.id, action: 'extend' },
      { state: 'released' },
    )
    expect(await claimWithChannel(store.db, claimRequest('1', { budget }))).toMatchObject({
      kind: 'claimed',
    })
  })

  it('refuse every write of a holder whose lease has passed to another one', async () => {
    const old = await leaseOf('CA')
    await releaseKeeperLease(store.db, old)
    const lease = await leaseOf('CA')
    expect(lease.term).toBe(old.term + 1n)
    await expect(reserve(old, 1n)).rejects.toThrow(KeeperLeaseLost)
    const reserved = await reserve(lease, 1n)
    if (reserved.kind !== 'reserved') throw new Error(reserved.kind)
    await expect(recordKeeperEnvelope(store.db, old, reserved.id, envelope)).rejects.toThrow(
      KeeperLeaseLost,
    )
    // One transaction of a contract is under way at most.
    await expect(reserve(lease, 1n)).rejects.toThrow()
  })

  it('begin no round before it is due', async () => {
    const lease = await leaseOf('CA')
    await releaseKeeperLease(store.db, lease, 60_000)
    await expect(leaseOf('CA')).rejects.toThrow('another keeper has the lease')
    const now = { holder: 'command', ttlMs: 60_000, whenDue: false }
    expect(await acquireKeeperLease(store.db, lease, now)).toMatchObject({ term: lease.term + 1n })
  })
})
