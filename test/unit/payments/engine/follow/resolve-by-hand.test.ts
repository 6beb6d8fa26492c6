import { describe, expect, it } from 'vitest'
import {
  type ManualResolution,
  resolveSettlement,
} from '../../../../../src/payments/engine/follow/resolve-by-hand.ts'
import type { SettlementRow } from '../../../../../src/payments/store/settlements/settlement.ts'
import { asStroops } from '../../../../../src/platform/core/amounts/stroops.ts'
import { claimedRow, key, OneSettlement, recordedRow, settlementOf } from '../one-settlement.ts'

const flagged: SettlementRow = { ...recordedRow, unresolvable_because: 'the network was reset' }
const fee = { feeCharged: asStroops(300n) }
const expired: ManualResolution = { as: 'expired' }
const succeededOn = (ledger: number): ManualResolution => ({ as: 'succeeded', ledger, ...fee })

function resolve(row: SettlementRow, resolution: ManualResolution, seen = row) {
  const world = new OneSettlement(row)
  return { world, resolving: resolveSettlement(world.store, settlementOf(seen), resolution) }
}

describe('an administrator', () => {
  it.each<{ resolution: ManualResolution; ends: object }>([
    { resolution: expired, ends: { state: 'expired', ledger: null, fee_charged: null } },
    { resolution: succeededOn(11), ends: { state: 'succeeded', ledger: 11, fee_charged: 300n } },
    {
      resolution: { as: 'failed', ledger: 11, ...fee },
      ends: { state: 'failed', ledger: 11, fee_charged: 300n },
    },
  ])('ends an unresolvable settlement as $resolution.as', async ({ resolution, ends }) => {
    const { world, resolving } = resolve(flagged, resolution)
    await resolving
    expect(world.row).toMatchObject(ends)
    expect(world.freed).toEqual([key.network])
  })

  it.each<{ what: string; row: SettlementRow; resolution: ManualResolution; because: string }>([
    { what: 'a claim', row: claimedRow, resolution: expired, because: 'the settlement is claimed' },
    {
      what: 'one that has ended',
      row: { ...flagged, state: 'succeeded' },
      ...{ resolution: expired, because: 'the settlement is succeeded' },
    },
    {
      what: 'one that the ledger can decide',
      ...{ row: recordedRow, resolution: expired, because: 'the ledger can still prove' },
    },
    {
      what: 'one by a ledger from before its record',
      ...{ row: flagged, resolution: succeededOn(10), because: 'ledger 10 cannot have' },
    },
  ])('cannot end $what', async ({ row, resolution, because }) => {
    const { world, resolving } = resolve(row, resolution)
    await expect(resolving).rejects.toThrow(because)
    expect(world.row).toBe(row)
    expect(world.freed).toEqual([])
  })

  it('cannot change what has ended since it was read', async () => {
    const response = { success: false }
    const ended = { ...flagged, state: 'failed', response, finished_at: new Date(0) } as const
    const { world, resolving } = resolve(ended, expired, flagged)
    await expect(resolving).rejects.toThrow('is failed by now, and stays so')
    expect(world.row).toBe(ended)
  })
})
