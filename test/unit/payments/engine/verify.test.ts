import { beforeEach, describe, expect, it } from 'vitest'
import { verify } from '../../../../src/payments/engine/verify.ts'
import { settleCodes } from '../../../../src/payments/protocol/reasons.ts'
import type { SettlementRow } from '../../../../src/payments/store/settlements/settlement.ts'
import { openHost } from '../protocol/host-world.ts'
import { claimedRow, recordedRow } from './one-settlement.ts'
import { requestWorld } from './request-world.ts'

beforeEach(openHost)

const subject = { network: 'stellar:testnet', payer: 'G', transaction: 'hash' }
const ended = (state: 'failed' | 'succeeded', response: object): SettlementRow => ({
  ...recordedRow,
  ...{ state, response: { ...response, ...subject }, finished_at: new Date(0) },
})
const failed = ended('failed', {
  ...{ success: false, errorReason: settleCodes.failed, errorMessage: 'it failed' },
})

describe('verify', () => {
  it.each<{
    when: string
    given?: NonNullable<Parameters<typeof requestWorld>[0]>
    others?: bigint
    refusal?: string
  }>([
    { when: 'finds a payment valid that would settle' },
    {
      when: 'refuses what the simulation refuses',
      ...{ given: { isPayable: false }, refusal: 'insufficient_funds' },
    },
    {
      when: 'refuses a payment of a paused payer',
      ...{ given: { pausedForMs: 1_000 }, refusal: settleCodes.payerPaused },
    },
    {
      when: 'refuses a payment for which those under way leave too little',
      ...{ others: 50_001n, refusal: 'insufficient_funds' },
    },
    { when: 'finds one valid for which they leave enough', others: 50_000n },
    {
      when: 'finds a claimed one valid, which has its share of the funds',
      ...{ given: { row: claimedRow }, others: 50_001n },
    },
    {
      when: 'finds a recorded one valid, which has its share of the funds',
      ...{ given: { row: recordedRow }, others: 50_001n },
    },
    {
      when: 'refuses what has failed for good, with the stored reason',
      ...{ given: { row: failed }, refusal: settleCodes.failed },
    },
    {
      when: 'leaves it to the simulation to refuse what was paid',
      given: { row: ended('succeeded', { success: true }), isPayable: false },
      refusal: 'insufficient_funds',
    },
  ])('$when', async ({ given, others, refusal }) => {
    const world = await requestWorld(given)
    world.world.hasOthers = others !== undefined
    world.world.othersAmount = others ?? 0n
    const options = { caller: 'public', client: 'a client', onSimulate: () => undefined }
    const answer = await verify(world.world.store, world.network, world.request, options)
    expect(answer).toMatchObject(
      refusal === undefined
        ? { isValid: true, payer: world.payer }
        : { isValid: false, invalidReason: refusal },
    )
    expect(world.log).toEqual([])
  })

  it('refuses what is no payment without a look at the store', async () => {
    const world = await requestWorld()
    world.world.before = () => {
      throw new Error('the store is asked')
    }
    const { paymentRequirements } = world.request
    const request = {
      ...world.request,
      paymentRequirements: { ...paymentRequirements, amount: '1' },
    }
    const options = { caller: 'public', client: 'a client', onSimulate: () => undefined }
    expect(await verify(world.world.store, world.network, request, options)).toMatchObject({
      isValid: false,
    })
    expect(world.simulations.count).toBe(0)
  })
})
