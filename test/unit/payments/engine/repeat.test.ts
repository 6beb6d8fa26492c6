import { describe, expect, it } from 'vitest'
import type { SubmittedSettlement } from '../../../../src/payments/engine/follow/final-result.ts'
import type { SettlementFollower } from '../../../../src/payments/engine/follow/settlement-follower.ts'
import type { ServedNetwork } from '../../../../src/payments/engine/network/served-network.ts'
import { answerRepeat } from '../../../../src/payments/engine/repeat.ts'
import { defaultTimings } from '../../../../src/payments/engine/timings.ts'
import { NetworkCounters } from '../../../../src/payments/health/network/network-counters.ts'
import { settleCodes } from '../../../../src/payments/protocol/reasons.ts'
import type { SettlementRow } from '../../../../src/payments/store/settlements/settlement.ts'
import { FakeClock } from '../../../support/fake-clock.ts'
import { payer } from '../protocol/payment-builder.ts'
import { claimedRow, key, OneSettlement, recordedRow, settlementOf } from './one-settlement.ts'

const paid = (transaction: string) => ({
  ...{ success: true, transaction, network: key.network, payer },
})

const succeeded = {
  ...recordedRow,
  ...{ state: 'succeeded', response: paid('stored'), ledger: 12n, fee_charged: 300n },
  finished_at: new Date(0),
} satisfies SettlementRow

/** Answers a repeat of a settlement that was read as `seen`, and that the store has as `later` from the next read on. */
async function repeatOf(seen: SettlementRow, { later = seen, fingerprint = 'f' } = {}) {
  const world = new OneSettlement(later)
  const clock = new FakeClock()
  const counters = new NetworkCounters(key.network, clock)
  const followed: SubmittedSettlement[] = []
  const follower = {
    answerWithin: async (_: unknown, submitted: SubmittedSettlement) => {
      followed.push(submitted)
      return paid('followed')
    },
  } as unknown as SettlementFollower
  const { signal } = new AbortController()
  const answering = answerRepeat(
    { store: world.store, clock, timings: defaultTimings, follower, signal },
    { id: key.network, counters } as unknown as ServedNetwork,
    settlementOf(seen),
    fingerprint,
  )
  await clock.advance(defaultTimings.duplicateWaitMs)
  const { response } = await answering
  return { response, followed: followed.length, counted: counters.drain().map(({ kind }) => kind) }
}

const refused = (code: string) =>
  expect.objectContaining({ success: false, errorReason: code, transaction: '' })

describe('a repeat of a settlement', () => {
  it.each<{
    when: string
    seen: SettlementRow
    later?: SettlementRow
    response: object
    followed?: number
    counted?: readonly string[]
  }>([
    {
      when: 'that has ended gets the stored answer',
      seen: succeeded,
      ...{ response: paid('stored'), counted: ['repeat'] },
    },
    {
      when: 'that is recorded follows its envelope',
      seen: recordedRow,
      ...{ response: paid('followed'), followed: 1 },
    },
    {
      when: 'that is claimed follows the envelope once it is recorded',
      ...{ seen: claimedRow, later: recordedRow },
      ...{ response: paid('followed'), followed: 1 },
    },
    {
      when: 'that is claimed gets the answer once it has ended',
      ...{ seen: claimedRow, later: succeeded, response: paid('stored') },
    },
    {
      when: 'that stays claimed is in progress',
      ...{ seen: claimedRow, response: refused(settleCodes.inProgress) },
    },
    {
      when: 'that is released meanwhile is in progress: the client sends it again',
      ...{ seen: claimedRow, later: { ...claimedRow, state: 'released' } },
      response: refused(settleCodes.inProgress),
    },
    {
      when: 'whose authorization another request has by now conflicts',
      ...{ seen: claimedRow, later: { ...recordedRow, fingerprint: 'of another' } },
      response: refused(settleCodes.conflict),
    },
  ])('$when', async ({ seen, later, response, followed = 0, counted = [] }) => {
    const repeat = await repeatOf(seen, later && { later })
    expect(repeat).toEqual({ response, followed, counted })
  })

  it.each([
    { state: 'claimed', seen: claimedRow },
    { state: 'recorded', seen: recordedRow },
    { state: 'succeeded', seen: succeeded },
  ])('by another request over its authorization conflicts: $state', async ({ seen }) => {
    expect(await repeatOf(seen, { fingerprint: 'of another' })).toEqual({
      ...{ response: refused(settleCodes.conflict), followed: 0, counted: [] },
    })
  })
})
