import { beforeEach, describe, expect, it } from 'vitest'
import { fingerprintOf } from '../../../../src/payments/engine/repeat.ts'
import { Settler } from '../../../../src/payments/engine/settle.ts'
import { settleCodes } from '../../../../src/payments/protocol/reasons.ts'
import type { SettlementRow } from '../../../../src/payments/store/settlements/settlement.ts'
import { StoreUnavailable } from '../../../../src/platform/database/postgres/unavailable.ts'
import { openHost } from '../protocol/host-world.ts'
import { claimedRow, recordedRow } from './one-settlement.ts'
import { requestWorld } from './request-world.ts'
import { claimed, pending } from './send/submit-world.ts'

beforeEach(openHost)

type World = Awaited<ReturnType<typeof requestWorld>>

const caller = { caller: 'public', client: 'a client' }

const settle = ({ deps, network, request }: World, settler = new Settler(deps)) =>
  settler.settle(network, request, caller)

const refusedWith = (code: string) =>
  expect.objectContaining({ success: false, errorReason: code, transaction: '' })

const pendingAs = (transaction: string) =>
  expect.objectContaining({ success: false, errorReason: 'settlement_pending', transaction })

/** A row of the request itself. */
const withRow = (world: World, row: SettlementRow): World => {
  world.world.row = { ...row, fingerprint: fingerprintOf(world.request) }
  return world
}

describe('a settle request', () => {
  it('settles the payment', async () => {
    const world = await requestWorld()
    const { response, started } = await settle(world)
    expect([response, started]).toEqual([
      world.paid,
      expect.objectContaining({ payer: world.payer }),
    ])
    expect(world.log).toEqual(['claim', 'record', 'send'])
  })

  it('shares one settlement with the same request at the same time, which starts none', async () => {
    const world = await requestWorld()
    const settler = new Settler(world.deps)
    const results = await Promise.all([1, 2, 3].map(() => settle(world, settler)))
    expect(results.map(({ response }) => response)).toEqual([1, 2, 3].map(() => world.paid))
    expect(results.map(({ started }) => started !== undefined)).toEqual([true, false, false])
    expect(world.log).toEqual(['claim', 'record', 'send'])
  })

  it('is simulated before anything is claimed', async () => {
    const world = await requestWorld({ isPayable: false })
    const { response } = await settle(world)
    expect(response).toEqual(refusedWith('insufficient_funds'))
    expect(world.log).toEqual([])
  })

  it('that is no payment is refused without a look at the store', async () => {
    const world = await requestWorld()
    world.world.before = () => {
      throw new Error('the store is asked')
    }
    const { paymentRequirements } = world.request
    const request = {
      ...world.request,
      paymentRequirements: { ...paymentRequirements, amount: '1' },
    }
    const { response } = await settle({ ...world, request })
    expect(response).toMatchObject({ success: false })
    expect(world.simulations.count).toBe(0)
  })

  it('repeats the settlement that the store has recorded, and ignores the simulation', async () => {
    const world = withRow(await requestWorld({ isPayable: false }), recordedRow)
    expect((await settle(world)).response).toEqual(world.paid)
    expect(world.log).toEqual([])
    expect(world.followed).toHaveLength(1)
  })
})

describe('a settle request at a limit', () => {
  it.each<{ when: string; given: object; code: string; simulations: number }>([
    {
      when: 'no channel can be expected',
      ...{ given: { isAdmitted: false }, code: settleCodes.channelUnavailable, simulations: 0 },
    },
    {
      when: 'no channel can be expected any more after the simulation',
      ...{ given: { isAdmittedLate: false }, code: settleCodes.channelUnavailable, simulations: 1 },
    },
    {
      when: 'its payer is known to be paused',
      given: { pausedForMs: 1_000, isKnownPaused: true },
      ...{ code: settleCodes.payerPaused, simulations: 0 },
    },
    {
      when: 'its payer is paused, as the store says',
      ...{ given: { pausedForMs: 1_000 }, code: settleCodes.payerPaused, simulations: 1 },
    },
  ])('is refused when $when', async ({ given, code, simulations }) => {
    const world = await requestWorld(given)
    expect((await settle(world)).response).toEqual(refusedWith(code))
    expect(world.simulations.count).toBe(simulations)
    expect(world.log).toEqual([])
  })

  it('waits for the claim of the same request instead, if there is one', async () => {
    const world = withRow(await requestWorld({ isAdmitted: false }), claimedRow)
    const settling = settle(world)
    await expect.poll(() => world.clock.sleeping).toBe(1)
    withRow(world, recordedRow)
    await world.clock.advance(250)
    expect((await settling).response).toEqual(world.paid)
    expect(world.followed).toHaveLength(1)
  })
})

describe('a settle request whose simulation fails', () => {
  const refused = { ...claimedRow, state: 'refused', attempt: 2 } as const

  it('is answered as paid when the ledger has the transaction of a refused attempt', async () => {
    const world = withRow(await requestWorld({ isPayable: false, isLanded: true }), refused)
    world.world.refused = [{ attempt: 1, tx_hash: 'first', inner_hash: 'inner' }]
    const { response } = await settle(world)
    expect(response).toMatchObject({ success: true, transaction: 'first' })
    expect(world.world.row?.state).toBe('succeeded')
  })

  it('is refused when no ledger has it', async () => {
    const world = withRow(await requestWorld({ isPayable: false }), refused)
    world.world.refused = [{ attempt: 1, tx_hash: 'first', inner_hash: 'inner' }]
    expect((await settle(world)).response).toEqual(refusedWith('insufficient_funds'))
    expect(world.world.row?.state).toBe('refused')
  })

  it('is pending while its authorization is valid in ledgers to come', async () => {
    const world = withRow(await requestWorld({ isPayable: false, latestLedger: 1 }), refused)
    world.world.refused = [{ attempt: 1, tx_hash: 'first', inner_hash: 'inner' }]
    expect((await settle(world)).response).toEqual(pendingAs('first'))
  })

  it('does not end a claim that another process has by now', async () => {
    const world = withRow(await requestWorld({ isPayable: false, isLanded: true }), {
      ...{ ...claimedRow, attempt: 2 },
    })
    world.world.refused = [{ attempt: 1, tx_hash: 'first', inner_hash: 'inner' }]
    expect((await settle(world)).response).toEqual(pendingAs('first'))
    expect(world.world.row?.state).toBe('claimed')
  })
})

describe('a settle request while the store is away', () => {
  it('releases what it may have claimed before the request is settled again', async () => {
    const claims = [claimed(1), claimed(2)]
    const sends = [pending]
    const world = await requestWorld({ claims, sends, isRecorded: new StoreUnavailable('away') })
    const settler = new Settler(world.deps)
    await expect(settle(world, settler)).rejects.toThrow('away')
    await expect(settle(world, settler)).rejects.toThrow('away')
    expect(world.log).toEqual(['claim', 'record', 'release', 'claim', 'record'])
  })

  it('releases nothing after another error', async () => {
    const claims = [claimed(1), claimed(2)]
    const world = await requestWorld({ claims, isRecorded: new Error('a defect') })
    const settler = new Settler(world.deps)
    await expect(settle(world, settler)).rejects.toThrow('a defect')
    await expect(settle(world, settler)).rejects.toThrow('a defect')
    expect(world.log).toEqual(['claim', 'record', 'claim', 'record'])
  })
})
