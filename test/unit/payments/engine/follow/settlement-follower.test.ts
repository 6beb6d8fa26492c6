import { afterEach, describe, expect, it } from 'vitest'
import type { MadeTransfer } from '../../../../../src/stellar/rpc/rpc.ts'
import { payer } from '../../protocol/payment-builder.ts'
import { key, recordedRow } from '../one-settlement.ts'
import { followWorld, type OnLedger, submitted } from './follow-world.ts'

const worlds: ReturnType<typeof followWorld>[] = []
function open(given: Parameters<typeof followWorld>[0]) {
  const world = followWorld(given)
  worlds.push(world)
  return world
}

afterEach(async () => {
  for (const { stop, follower } of worlds.splice(0)) {
    stop.abort(new Error('the test is over'))
    await follower.idle()
  }
})

const subject = { network: key.network, payer }
const paidBy = (transaction: string) => ({ success: true, transaction, ...subject })
const strangers: MadeTransfer = {
  ...{ state: 'made', latestLedger: 30, transaction: 'of a stranger', ledger: 11 },
  sources: ['GSTRANGER'],
}
const unread: MadeTransfer = { state: 'unknown', latestLedger: 30, because: 'one is unread' }

describe('a settlement whose envelope is recorded', () => {
  it.each<{
    when: string
    feeBump: OnLedger
    inner?: OnLedger
    transfer?: MadeTransfer
    answer: object
    row: object
  }>([
    {
      when: 'a ledger has it',
      feeBump: 'SUCCESS',
      answer: paidBy('fee bump'),
      row: { state: 'succeeded', ledger: 12, fee_charged: 300n },
    },
    {
      when: 'a ledger has its transaction in a fee bump of a stranger',
      feeBump: 'expired',
      inner: 'SUCCESS',
      answer: paidBy('inner'),
      row: { state: 'succeeded', ledger: 12, fee_charged: 0n },
    },
    {
      when: 'it failed on a ledger',
      feeBump: 'FAILED',
      answer: { success: false, errorReason: 'settle_exact_stellar_transaction_failed' },
      row: { state: 'failed', ledger: 12, fee_charged: 300n },
    },
    {
      when: 'it failed in a fee bump of a stranger',
      feeBump: 'expired',
      inner: 'FAILED',
      answer: { success: false, transaction: 'inner' },
      row: { state: 'failed', fee_charged: 0n },
    },
    {
      when: 'it failed, since a stranger had made the payment',
      feeBump: 'FAILED',
      transfer: strangers,
      answer: paidBy('of a stranger'),
      row: { state: 'succeeded', ledger: 11, fee_charged: 300n },
    },
    {
      when: 'no ledger can have it any more',
      feeBump: 'expired',
      answer: { success: false, transaction: 'fee bump' },
      row: { state: 'expired', ledger: null, fee_charged: null },
    },
    {
      when: 'no ledger can have it any more, and a stranger made the payment',
      feeBump: 'expired',
      transfer: strangers,
      answer: paidBy('of a stranger'),
      row: { state: 'succeeded', ledger: 11, fee_charged: 0n },
    },
  ])('ends when $when', async ({ answer, row, feeBump, ...given }) => {
    const { network, follower, world, sent } = open({ feeBump: [feeBump], ...given })
    expect(await follower.answerWithin(network, submitted(), 1_000)).toMatchObject(answer)
    expect(world.row).toMatchObject(row)
    expect(world.freed).toEqual([key.network])
    expect(sent).toEqual([])
  })

  it.each<{ when: string; feeBump: OnLedger; inner?: OnLedger; transfer?: MadeTransfer }>([
    { when: 'the network was reset', feeBump: 'reset' },
    { when: 'only the transaction inside cannot be decided', feeBump: 'expired', inner: 'reset' },
    { when: 'a transaction of the payer cannot be read', feeBump: 'FAILED', transfer: unread },
    { when: 'one cannot be read after its end', feeBump: 'expired', transfer: unread },
  ])('stays without an end when $when', async ({ feeBump, ...given }) => {
    const { network, follower, world } = open({ feeBump: [feeBump], ...given })
    expect(await follower.follow(network, submitted())).toBeUndefined()
    expect(world.row).toMatchObject({
      state: 'submitted',
      unresolvable_because: expect.any(String),
    })
    expect(await follower.answerWithin(network, submitted(), 1_000)).toMatchObject({
      ...{ success: false, errorReason: 'settlement_pending', transaction: 'fee bump' },
    })
  })
})

describe('a settlement of which the network refused an attempt that failed on a ledger', () => {
  it.each([
    { end: 'its success', feeBump: 'SUCCESS', state: 'succeeded', feeCharged: 600n },
    { end: 'its failure', feeBump: 'FAILED', state: 'failed', feeCharged: 600n },
    { end: 'no fee of an expired one', feeBump: 'expired', state: 'expired', feeCharged: null },
  ] as const)('stores the fee of both with $end', async ({ feeBump, state, feeCharged }) => {
    const others = { 'fee bump 1': 'FAILED', 'inner 1': 'FAILED' } as const
    const row = { ...recordedRow, attempt: 2 }
    const { network, follower, world } = open({ row, feeBump: [feeBump], others })
    world.refused = [{ attempt: 1, tx_hash: 'fee bump 1', inner_hash: 'inner 1' }]
    await follower.answerWithin(network, submitted({ attempt: 2 }), 1_000)
    expect(world.row).toMatchObject({ state, fee_charged: feeCharged })
  })
})

describe('a settlement that no ledger has yet', () => {
  it('is sent again in the same bytes until a ledger has it', async () => {
    const { network, follower, clock, sent } = open({ feeBump: ['waiting', 'waiting', 'SUCCESS'] })
    const answer = follower.follow(network, submitted())
    await clock.advance(10_000)
    expect(await answer).toEqual(paidBy('fee bump'))
    expect(sent).toEqual(['AAAA', 'AAAA'])
  })

  it.each([
    { what: 'a later attempt', row: { ...recordedRow, attempt: 2 } },
    { what: 'another envelope', row: { ...recordedRow, tx_hash: 'of a repeat' } },
    { what: 'no record', row: undefined },
  ])('is not sent again while the store has $what', async ({ row }) => {
    const { network, world, follower, clock, sent } = open({ feeBump: ['waiting'] })
    world.row = row
    follower.follow(network, submitted()).catch(() => undefined)
    await clock.advance(10_000)
    expect(sent).toEqual([])
    expect(follower.isFollowing('fee bump')).toBe(true)
  })

  it('ends with the answer that another process has stored', async () => {
    const response = paidBy('fee bump')
    const { network, world, follower, clock, sent } = open({ feeBump: ['waiting'] })
    world.row = {
      ...recordedRow,
      ...{ state: 'succeeded', response, ledger: 12n, fee_charged: 300n, finished_at: new Date(0) },
    }
    const answer = follower.follow(network, submitted())
    await clock.advance(5_000)
    expect(await answer).toEqual(response)
    expect(sent).toEqual([])
  })

  it('ends as in progress once another process has ended the attempt as refused', async () => {
    const { network, world, follower, clock, sent } = open({ feeBump: ['waiting'] })
    world.row = { ...recordedRow, attempt: 2 }
    world.refused = [{ attempt: 1, tx_hash: 'fee bump', inner_hash: 'inner' }]
    const answer = follower.follow(network, submitted())
    await clock.advance(5_000)
    expect(await answer).toMatchObject({ success: false, transaction: '' })
    expect(sent).toEqual([])
  })

  it.each([
    {
      what: 'as pending after the wait',
      changes: {},
      pendingMs: 19_999,
      code: 'settlement_pending',
    },
    {
      what: 'as refused after 10 s when an endpoint refused it',
      changes: { refusedBecause: 'txBadSeq' },
      ...{ pendingMs: 9_999, code: 'settle_exact_stellar_transaction_submission_failed' },
    },
  ])('is answered $what, and followed on', async ({ changes, pendingMs, code }) => {
    const { network, follower, clock } = open({ feeBump: ['waiting'] })
    let answer: object | undefined
    const answering = follower.answerWithin(network, submitted(changes), 20_000).then((one) => {
      answer = one
    })
    await clock.advance(pendingMs)
    expect(answer).toBeUndefined()
    await clock.advance(1)
    await answering
    expect(answer).toMatchObject({ success: false, errorReason: code, transaction: 'fee bump' })
    expect(follower.isFollowing('fee bump')).toBe(true)
  })

  it('is followed once, however many wait for it', async () => {
    const { network, follower, clock, sent } = open({ feeBump: ['waiting', 'SUCCESS'] })
    const answers = Promise.all([1, 2, 3].map(() => follower.follow(network, submitted())))
    expect(follower.followed).toBe(1)
    await clock.advance(5_000)
    expect(await answers).toEqual([1, 2, 3].map(() => paidBy('fee bump')))
    expect(sent).toEqual(['AAAA'])
    expect(follower.followed).toBe(0)
  })

  it('is followed on after an error of the store', async () => {
    const { network, world, follower, clock } = open({ feeBump: ['waiting', 'SUCCESS'] })
    world.before = () => {
      world.before = () => undefined
      throw new Error('the store is away')
    }
    const answer = follower.follow(network, submitted())
    await clock.advance(6_000)
    expect(await answer).toEqual(paidBy('fee bump'))
  })

  it('rejects with the reason of the stop, and is left to another process', async () => {
    const { network, follower, clock, stop, world } = open({ feeBump: ['waiting'] })
    const answer = follower.follow(network, submitted())
    await clock.advance(1_000)
    stop.abort(new Error('the process stops'))
    await expect(answer).rejects.toThrow('the process stops')
    expect(world.row?.state).toBe('submitted')
  })
})
