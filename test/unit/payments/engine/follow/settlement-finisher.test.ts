import { describe, expect, it } from 'vitest'
import type { End } from '../../../../../src/payments/engine/follow/settlement-finisher.ts'
import { asStroops } from '../../../../../src/platform/core/amounts/stroops.ts'
import { payer } from '../../protocol/payment-builder.ts'
import { claimedRow, key, recordedRow } from '../one-settlement.ts'
import { followWorld, submitted } from './follow-world.ts'

const succeeded = { kind: 'succeeded', ledger: 12, feeCharged: asStroops(300n) } as const
const failed = {
  kind: 'failed',
  ledger: 12,
  feeCharged: asStroops(300n),
  because: 'txFailed',
} as const
const endOf = (outcome: End['outcome'], own: End['own'] = outcome): End => ({
  outcome,
  own,
  hash: 'fee bump',
  sequence: 'keep',
})
const paid = { success: true, transaction: 'fee bump', network: key.network, payer }
const other = { ...recordedRow, tx_hash: 'of a repeat' }

/** The samples of a counter that are not 0. */
async function counted(
  { metrics }: Pick<ReturnType<typeof followWorld>, 'metrics'>,
  name: string,
): Promise<readonly string[]> {
  const { text } = await metrics.expose()
  return text.split('\n').filter((line) => line.startsWith(name) && !line.endsWith(' 0'))
}

describe('the end of a settlement', () => {
  it('is stored, and the payer is known to have paid before', async () => {
    const { follower, network, world, paid: paidOn } = followWorld()
    const before: (readonly number[])[] = []
    world.before = () => before.push([...paidOn])
    expect(await follower.finisher.finish(network, submitted(), endOf(succeeded))).toEqual(paid)
    expect(before[0]).toEqual([12])
    expect(world.row?.state).toBe('succeeded')
  })

  it('leaves no note of a payment that was not made', async () => {
    const { follower, network, paid: paidOn } = followWorld()
    await follower.finisher.finish(network, submitted(), endOf(failed))
    expect(paidOn).toEqual([])
  })

  it('that another process has stored is the answer, and counts once', async () => {
    const row = { ...recordedRow, response: paid, finished_at: new Date(0), ledger: 12n } as const
    const world = followWorld({ row: { ...row, state: 'succeeded', fee_charged: 300n } })
    const { follower, network } = world
    expect(await follower.finisher.finish(network, submitted(), endOf(failed))).toEqual(paid)
    expect(await counted(world, 'svc_failed_fees')).toEqual([])
    expect(world.world.freed).toEqual([])
  })

  it('is the answer also when the store has lost the settlement', async () => {
    const { follower, network, world } = followWorld()
    world.row = undefined
    const answer = await follower.finisher.finish(network, submitted(), endOf(failed))
    expect(answer).toMatchObject({ success: false, transaction: 'fee bump' })
  })

  it.each([
    { what: 'a later attempt', row: { ...claimedRow, attempt: 2 } },
    { what: 'a later attempt with an envelope', row: { ...other, attempt: 2 } },
    { what: 'another envelope', row: other },
  ])('as failed is not the answer while the store has $what, which may pay', async ({ row }) => {
    const { follower, network, world } = followWorld()
    world.row = row
    const answer = await follower.finisher.finish(network, submitted(), endOf(failed))
    expect(answer).toMatchObject({ success: false, transaction: '' })
    expect(world.row).toBe(row)
  })

  it('as failed is the answer while the store has only the claim of the same attempt', async () => {
    const { follower, network, world } = followWorld()
    world.row = claimedRow
    const answer = await follower.finisher.finish(network, submitted(), endOf(failed))
    expect(answer).toMatchObject({ success: false, transaction: 'fee bump' })
  })

  it('as succeeded is the answer whatever the store has', async () => {
    const { follower, network, world } = followWorld()
    world.row = other
    expect(await follower.finisher.finish(network, submitted(), endOf(succeeded))).toEqual(paid)
  })

  it.each([
    { what: 'no row', row: undefined },
    { what: 'only a claim', row: claimedRow },
  ])('as succeeded is stored again when the store has $what of it', async ({ row }) => {
    const { follower, network, world } = followWorld()
    world.row = row
    expect(await follower.finisher.finish(network, submitted(), endOf(succeeded))).toEqual(paid)
    expect(world.row).toMatchObject({ state: 'succeeded', response: paid, tx_hash: 'fee bump' })
    expect(world.freed).toEqual([key.network])
  })

  it('ends a refused settlement as succeeded when the ledger has its envelope after all', async () => {
    const { follower, network, world } = followWorld({ inner: 'SUCCESS' })
    world.row = { ...claimedRow, state: 'refused', attempt: 2 }
    world.refused = [{ attempt: 1, tx_hash: 'fee bump', inner_hash: 'inner' }]
    expect(await follower.finisher.finish(network, submitted(), endOf(succeeded))).toEqual(paid)
    expect(world.row?.state).toBe('succeeded')
    expect(world.freed).toEqual([key.network])
  })

  it('fails when the store does not answer, and nothing was stored', async () => {
    const { follower, network, world } = followWorld()
    world.before = () => {
      throw new Error('the store is away')
    }
    const finishing = follower.finisher.finish(network, submitted(), endOf(succeeded))
    await expect(finishing).rejects.toThrow('the store is away')
    expect(world.row?.state).toBe('submitted')
  })
})

describe('the fee of an envelope that failed', () => {
  const line = 'svc_failed_settlement_fees_stroops_total{network="stellar:testnet",cause=""} 300'

  it.each([
    { when: 'it failed', end: endOf(failed), lines: [line] },
    { when: 'a stranger made its payment', end: endOf(succeeded, failed), lines: [line] },
    { when: 'it succeeded', end: endOf(succeeded), lines: [] },
  ])('is counted when $when', async ({ end, lines }) => {
    const world = followWorld()
    await world.follower.finisher.finish(world.network, submitted(), end)
    expect(await counted(world, 'svc_failed_settlement_fees')).toEqual(lines)
  })
})

describe('a refused attempt', () => {
  it('ends, and frees its channel', async () => {
    const { follower, network, world } = followWorld()
    expect(await follower.finisher.endRefusedAttempt(network, submitted(), 'code')).toBe(true)
    expect(world.row).toMatchObject({ state: 'refused', attempt: 2 })
    expect(world.freed).toEqual([key.network])
  })

  it('does not end when the store has it no longer', async () => {
    const { follower, network, world } = followWorld()
    world.row = { ...claimedRow, attempt: 2 }
    expect(await follower.finisher.endRefusedAttempt(network, submitted(), 'code')).toBe(false)
    expect(world.freed).toEqual([])
  })
})
