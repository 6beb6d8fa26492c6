import { describe, expect, it } from 'vitest'
import {
  findRefused,
  finishLanded,
} from '../../../../../src/payments/engine/follow/landed-after-all.ts'
import { asStroops } from '../../../../../src/platform/core/amounts/stroops.ts'
import type { StellarRpc, TransactionStatus } from '../../../../../src/stellar/rpc/rpc.ts'
import { payer } from '../../protocol/payment-builder.ts'
import { claimedRow, key, OneSettlement, settlementOf } from '../one-settlement.ts'

/** A ledger that has these transactions, by hash. */
const ledgerWith = (
  found: Readonly<Record<string, 'SUCCESS' | 'FAILED'>>,
  latest: Readonly<Record<string, number>> = {},
) =>
  ({
    transaction: async (hash) => {
      const status = found[hash] ?? 'NOT_FOUND'
      const latestLedger = latest[hash] ?? 20
      return { status, ledger: 12, feeCharged: asStroops(300n), latestLedger } as TransactionStatus
    },
  }) satisfies Pick<StellarRpc, 'transaction'>

/** A settlement of which the network has refused two attempts. */
function refusedTwice() {
  const world = new OneSettlement({ ...claimedRow, state: 'refused', attempt: 3 })
  world.refused = [
    { attempt: 2, tx_hash: 'fee bump 2', inner_hash: 'inner 2' },
    { attempt: 1, tx_hash: 'fee bump 1', inner_hash: 'inner 1' },
  ]
  return world
}

describe('the transaction of a refused attempt', () => {
  it.each<{ when: string; found: Parameters<typeof ledgerWith>[0]; landed: object | undefined }>([
    { when: 'is on no ledger', found: {}, landed: undefined },
    { when: 'failed on a ledger', found: { 'fee bump 2': 'FAILED' }, landed: undefined },
    {
      when: 'failed on a ledger in a fee bump of a stranger',
      found: { 'inner 2': 'FAILED' },
      landed: undefined,
    },
    {
      when: 'is on a ledger, at the cost of the sponsor',
      found: { 'fee bump 2': 'SUCCESS' },
      landed: { attempt: 2, hash: 'fee bump 2', ledger: 12, feeCharged: 300n },
    },
    {
      when: 'is on a ledger in a fee bump of a stranger, who paid for it',
      found: { 'inner 2': 'SUCCESS' },
      landed: { attempt: 2, hash: 'inner 2', ledger: 12, feeCharged: 0n },
    },
    {
      when: 'is on a ledger, and it is that of the first attempt',
      found: { 'fee bump 2': 'FAILED', 'fee bump 1': 'SUCCESS' },
      landed: { attempt: 1, hash: 'fee bump 1', ledger: 12, feeCharged: 300n },
    },
  ])('$when', async ({ found, landed }) => {
    expect(await findRefused(refusedTwice().store, ledgerWith(found), key)).toMatchObject({
      landed,
    })
  })

  it('is known up to the ledger that all endpoints know; one that failed cost its fee', async () => {
    const { store } = refusedTwice()
    const doubted = ledgerWith({ 'fee bump 2': 'FAILED' }, { 'inner 1': 0 })
    expect(await findRefused(store, doubted, key)).toMatchObject({
      absentThrough: 0,
      feesOfFailed: 300n,
    })
    const known = ledgerWith({ 'inner 1': 'FAILED' }, { 'fee bump 2': 18 })
    expect(await findRefused(store, known, key)).toMatchObject({
      absentThrough: 18,
      feesOfFailed: 0n,
    })
  })
})

describe('finishLanded', () => {
  it('leaves a settlement alone whose transactions are on no ledger', async () => {
    const world = refusedTwice()
    const settlement = settlementOf({ ...claimedRow, state: 'refused' })
    expect(await finishLanded(world.store, ledgerWith({}), settlement)).toBeUndefined()
    expect(world.row?.state).toBe('refused')
  })

  it('adds the fees of the attempts that failed beside it', async () => {
    const world = refusedTwice()
    const settlement = settlementOf({ ...claimedRow, state: 'refused' })
    const both = ledgerWith({ 'fee bump 2': 'SUCCESS', 'fee bump 1': 'FAILED' })
    await finishLanded(world.store, both, settlement)
    expect(world.row).toMatchObject({ state: 'succeeded', fee_charged: 600n })
  })

  it('stores the payment as made by the transaction that the ledger has', async () => {
    const world = refusedTwice()
    const settlement = settlementOf({ ...claimedRow, state: 'refused' })
    const finished = await finishLanded(
      world.store,
      ledgerWith({ 'inner 1': 'SUCCESS' }),
      settlement,
    )
    expect(finished?.outcome?.response).toEqual({
      ...{ success: true, transaction: 'inner 1', network: 'stellar:testnet', payer },
    })
    expect(world.row).toMatchObject({ state: 'succeeded', ledger: 12, fee_charged: 0n })
  })
})
