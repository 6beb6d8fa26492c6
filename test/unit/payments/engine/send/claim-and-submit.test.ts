import { describe, expect, it } from 'vitest'
import { claimAndSubmit } from '../../../../../src/payments/engine/send/claim-and-submit.ts'
import { settleCodes } from '../../../../../src/payments/protocol/reasons.ts'
import type { ClaimOutcome } from '../../../../../src/payments/store/settlements/claim/claim-request.ts'
import { asStroops } from '../../../../../src/platform/core/amounts/stroops.ts'
import type { SendOutcome } from '../../../../../src/stellar/rpc/rpc.ts'
import { key, recordedRow, settlementOf } from '../one-settlement.ts'
import { claimed, pending, quote, sendOutcome, submitWorld } from './submit-world.ts'

type World = Awaited<ReturnType<typeof submitWorld>>

function settle({ deps, checked }: World) {
  const left: string[] = []
  const place = {
    isAdmitted: true,
    leave: () => void left.push('left'),
    [Symbol.dispose]: () => undefined,
  }
  return claimAndSubmit(deps, checked, { quote, hasOthers: false, place })
}

const refusal = (resultCode: string) => sendOutcome({ status: 'ERROR', resultCode })
const tooLittle = (feeWanted: bigint): SendOutcome => ({
  ...refusal('txInsufficientFee'),
  feeCharged: asStroops(feeWanted),
})

const refusedWith = (code: string) => ({
  response: expect.objectContaining({ success: false, errorReason: code, transaction: '' }),
})

describe('a payment with a quote', () => {
  it('is claimed, recorded, sent and followed, in this order, and its fee stays promised', async () => {
    const world = await submitWorld()
    expect(await settle(world)).toEqual({ response: world.paid, started: key })
    expect(world.log).toEqual(['claim', 'record', 'send'])
    expect(world.followed).toMatchObject([{ key, attempt: 1, isQueued: true }])
    expect(world.fees.total).toBe(quote.totalFee)
  })

  it('is not claimed while the sponsor cannot pay for it', async () => {
    const world = await submitWorld({ spendable: quote.totalFee - 1n })
    expect(await settle(world)).toEqual(refusedWith(settleCodes.sponsorUnavailable))
    expect(world.log).toEqual([])
    expect(world.fees.total).toBe(0n)
  })

  it.each<{ outcome: ClaimOutcome; isCallersFault?: true }>([
    { outcome: { kind: 'over_budget' } },
    { outcome: { kind: 'over_key_share' }, isCallersFault: true },
  ])('costs nothing when its claim is $outcome.kind', async ({ outcome, isCallersFault }) => {
    const world = await submitWorld({ claims: [outcome] })
    expect(await settle(world)).toEqual({
      ...refusedWith(settleCodes.sponsorUnavailable),
      ...(isCallersFault && { isCallersFault }),
    })
    expect(world.log).toEqual(['claim'])
    expect(world.fees.total).toBe(0n)
  })

  it('is answered as a repeat when another request has settled it', async () => {
    const response = { success: true, transaction: 'first', network: key.network, payer: key.payer }
    const row = { ...recordedRow, response, finished_at: new Date(0) } as const
    const settlement = settlementOf({ ...row, state: 'succeeded' })
    const world = await submitWorld({ claims: [{ kind: 'existing', settlement }] })
    expect(await settle(world)).toEqual({ response })
    expect(world.log).toEqual(['claim'])
    expect(world.fees.total).toBe(0n)
  })

  it('is never sent when the claim was lost before the record', async () => {
    const world = await submitWorld({ isRecorded: false })
    expect(await settle(world)).toEqual(refusedWith(settleCodes.inProgress))
    expect(world.log).toEqual(['claim', 'record'])
    expect(world.followed).toEqual([])
    expect(world.fees.total).toBe(0n)
  })

  it('is never sent, nor released, when the record may be in a store that is away', async () => {
    const world = await submitWorld({ isRecorded: new Error('the store is away') })
    await expect(settle(world)).rejects.toThrow('the store is away')
    expect(world.log).toEqual(['claim', 'record'])
  })

  it('is released when it gets no channel in time', async () => {
    const outcome = { kind: 'claimed', attempt: 1, channel: undefined } as const
    const world = await submitWorld({ claims: [outcome] })
    expect(await settle(world)).toEqual(refusedWith(settleCodes.channelUnavailable))
    expect(world.log).toEqual(['claim', 'release'])
    expect(world.world.freed).toEqual([key.network])
    expect(world.fees.total).toBe(0n)
  })

  it('is released when it cannot be signed', async () => {
    const world = await submitWorld({ knowsTime: false })
    expect(await settle(world)).toEqual(refusedWith('unexpected_settle_error'))
    expect(world.log).toEqual(['claim', 'release'])
  })

  it('is released later when the store is away', async () => {
    const world = await submitWorld({ knowsTime: false })
    world.world.before = () => {
      throw new Error('the store is away')
    }
    expect(await settle(world)).toEqual(refusedWith('unexpected_settle_error'))
    expect(world.uncertain).toMatchObject([{ key, owner: 'one', fingerprint: 'f' }])
  })
})

describe('a payment whose envelope was sent', () => {
  it.each<{ when: string; answer: SendOutcome | Error; known: object }>([
    { when: 'the network has queued it', answer: pending, known: { isQueued: true } },
    {
      when: 'the network has it already',
      answer: sendOutcome({ status: 'DUPLICATE' }),
      known: { isQueued: true },
    },
    {
      when: 'the network asks to try again later',
      answer: sendOutcome({ status: 'TRY_AGAIN_LATER' }),
      known: { isQueued: false },
    },
    { when: 'no endpoint answers', answer: new Error('timed out'), known: {} },
    {
      when: 'an endpoint refuses it as invalid',
      answer: refusal('txSorobanInvalid'),
      known: { refusedBecause: 'txSorobanInvalid' },
    },
  ])('is followed when $when', async ({ answer, known }) => {
    const world = await submitWorld({ sends: [answer] })
    expect(await settle(world)).toEqual({ response: world.paid, started: key })
    expect(world.followed).toMatchObject([{ key, attempt: 1, sentAtMs: expect.any(Number) }])
    const { isQueued, refusedBecause } = world.followed[0] ?? {}
    expect({ isQueued, refusedBecause }).toEqual({
      isQueued: undefined,
      refusedBecause: undefined,
      ...known,
    })
    expect(world.log).toEqual(['claim', 'record', 'send'])
    expect(world.fees.total).toBe(quote.totalFee)
  })

  it('counts a sequence number that another transaction has used', async () => {
    const world = await submitWorld({ sends: [refusal('txBadSeq')] })
    await settle(world)
    const kinds = world.network.counters.drain().map(({ kind }) => kind)
    expect(kinds).toContain('sequence_conflict')
  })
})

describe('a payment whose bid the network refused', () => {
  it('is claimed again with a higher one, and only that fee stays promised', async () => {
    const claims = [claimed(1), claimed(2)]
    const world = await submitWorld({ claims, sends: [tooLittle(40_600n), pending] })
    expect(await settle(world)).toEqual({ response: world.paid, started: key })
    expect(world.log).toEqual(['claim', 'record', 'send', 'bids 300', 'claim', 'record', 'send'])
    expect(world.asked.map(({ budget }) => budget.fee)).toEqual([40_200n, 40_600n])
    expect(world.followed).toMatchObject([{ attempt: 2 }])
    expect(world.fees.total).toBe(40_600n)
  })

  it('is followed when another replica may have sent its envelope too', async () => {
    const world = await submitWorld({ isEnded: false, sends: [tooLittle(40_600n)] })
    expect(await settle(world)).toEqual({ response: world.paid, started: key })
    expect(world.log).toEqual(['claim', 'record', 'send'])
    expect(world.fees.total).toBe(quote.totalFee)
  })

  it('is followed as refused when the settings allow no bid that the network accepts', async () => {
    const world = await submitWorld({ sends: [tooLittle(60_000n)] })
    await settle(world)
    expect(world.log).toEqual(['claim', 'record', 'send'])
    expect(world.followed).toMatchObject([
      { refusedBecause: expect.stringMatching(/^txInsufficientFee; the network is busy/) },
    ])
  })
})
