import { describe, expect, it } from 'vitest'
import {
  findLanded,
  finishLanded,
} from '../../../../../src/payments/engine/follow/landed-after-all.ts'
import { asStroops } from '../../../../../src/platform/core/amounts/stroops.ts'
import type { StellarRpc, TransactionStatus } from '../../../../../src/stellar/rpc/rpc.ts'
import { payer } from '../../protocol/payment-builder.ts'
import { claimedRow, key, OneSettlement, settlementOf } from '../one-settlement.ts'

/** A ledger that has these transactions, by hash. */
const ledgerWith = (found: Readonly<Record<string, 'SUCCESS' | 'FAILED'>>) =>
  ({
    transaction: async (hash) => {
      const status = found[hash] ?? 'NOT_FOUND'
      return { status, ledger: 12, feeCharged: asStroops(300n) } as TransactionStatus
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
    expect(await findLanded(refusedTwice().store, ledgerWith(found), key)).toEqual(landed)
  })
})

describe('finishLanded', () => {
  it('leaves a settlement alone whose transactions are on no ledger', async () => {
    const world = refusedTwice()
    const settlement = settlementOf({ ...claimedRow, state: 'refused' })
    expect(await finishLanded(world.store, ledgerWith({}), settlement)).toBeUndefined()
    expect(world.row?.state).toBe('refused')
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
