/** The rows of the transition table whose event is a settlement to another payee, and the claims that it leaves. */
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { MUXED_SELLER, mcpBazaar, SELLER } from '../../../support/catalog/declarations.ts'
import { address } from '../seed-listings.ts'
import {
  BUYER,
  type IntakeWorld,
  isDueNow,
  OTHER_PAYEE,
  openIntakeWorld,
  otherPayees,
  type Settled,
} from './intake-world.ts'

const mcp = { declaration: { bazaar: mcpBazaar(), resource: { url: 'mcp://tool/forecast' } } }
const changed = { option: { amount: '200000' } }

describe('a settled payment', () => {
  let world: IntakeWorld
  beforeAll(async () => {
    world = await openIntakeWorld()
  })
  afterEach(() => world.empty())
  afterAll(() => world[Symbol.asyncDispose]())

  /** Each of a payer of its own; returns the payers. */
  async function payments(count: number, settled: Settled): Promise<readonly string[]> {
    const payers = Array.from({ length: count }, address)
    for (const payer of payers) await world.record({ ...settled, payer })
    return payers
  }
  const payersOfClaims = async () => (await world.claims()).map(({ payer }) => payer).toSorted()

  test.each(['pending', 'published', 'quarantined'] as const)(
    '%s, other payTo, HTTP: bazaar_owner_conflict with the listing, a claim and an origin check',
    async (state) => {
      await world.record()
      if (state !== 'pending') await world.afterCheck(state)
      const before = await world.listing()
      const onListed = vi.fn()
      const outcome = await world.record({ payTo: OTHER_PAYEE }, { onListed })
      const after = await world.listing()
      expect(outcome).toMatchObject({
        status: 'rejected',
        code: 'bazaar_owner_conflict',
        reason: expect.stringContaining('another payee'),
        listing_id: before.id,
        version: 1,
      })
      expect(after).toMatchObject({
        owner: SELLER,
        state,
        settlements: 1n,
        version: 1,
        last_outcome: before.last_outcome,
      })
      expect(isDueNow(after.check_due_at)).toBe(true)
      expect(await world.claims()).toMatchObject([{ pay_to: OTHER_PAYEE }])
      expect(onListed).toHaveBeenCalledTimes(1)
    },
  )

  test('published, other payTo, MCP: bazaar_owner_conflict, and nothing else', async () => {
    await world.record(mcp)
    const before = await world.listing()
    const outcome = await world.record({ ...mcp, payTo: OTHER_PAYEE })
    expect(outcome).toMatchObject({
      status: 'rejected',
      code: 'bazaar_owner_conflict',
      listing_id: before.id,
    })
    expect(await world.listing()).toEqual(before)
    expect(await world.claims()).toEqual([])
  })

  test('a payer has one claim, whomever it pays, and replaces that of no other payer', async () => {
    await world.record()
    const sale = await world.record({ ...changed, payer: address() })
    for (const payTo of otherPayees) await world.record({ payTo })
    const last = await world.record({ payTo: SELLER, option: { amount: '7' } })
    const claims = await world.claims()
    expect(claims).toMatchObject([
      { pay_to: SELLER, transaction: sale.transaction },
      { pay_to: SELLER, transaction: last.transaction, payer: BUYER },
    ])
    expect(claims[1]?.content).toMatchObject({ accepts: [{ amount: '7' }] })
  })

  test('claims that the origin was asked with give way to others, the longest ago first', async () => {
    await world.record()
    const sales = await payments(19, changed)
    const asked = await payments(1, { payTo: OTHER_PAYEE })
    await world.db
      .updateTable('listing_claims')
      .set({ asked_at: new Date() })
      .where('payer', 'in', asked)
      .execute()
    expect(await world.claims()).toHaveLength(20)
    const [newest] = await payments(1, { payTo: OTHER_PAYEE })
    expect(await payersOfClaims()).toEqual([...sales, newest].toSorted())
  })

  test('a flood of claims leaves twenty, the newest among them', async () => {
    await world.record()
    const payers = await payments(23, { payTo: OTHER_PAYEE })
    const kept = await payersOfClaims()
    expect(kept).toHaveLength(20)
    expect(kept).toContain(payers.at(-1))
  })

  test('a claim that its payer renews is asked with again', async () => {
    await world.record()
    await world.record(changed)
    const asked = { asked_at: new Date(), due_at: null, tries: 1 }
    await world.db.updateTable('listing_claims').set(asked).execute()
    await world.record(changed)
    const [claim] = await world.claims()
    expect(claim).toMatchObject({ asked_at: null, tries: 0 })
    expect(isDueNow(claim?.due_at ?? null)).toBe(true)
  })

  test.each(['pending', 'quarantined'] as const)(
    '%s, same owner, other parameters in the path: a claim, which the origin may prefer',
    async (state) => {
      await world.record()
      if (state === 'quarantined') await world.afterCheck(state)
      const sale = await world.record()
      expect(await world.claims()).toMatchObject([{ transaction: sale.transaction }])
    },
  )

  test('an older settlement that is recorded later does not replace a newer claim', async () => {
    await world.record()
    await world.record({ ...changed, settledAt: new Date('2026-05-02') })
    await world.record({ option: { amount: '1' }, settledAt: new Date('2026-05-01') })
    expect(await world.claims()).toMatchObject([{ content: { accepts: [{ amount: '200000' }] } }])
  })

  test('settlements get a listing checked once a minute at most', async () => {
    await world.record()
    await world.afterCheck('published')
    await world.record({ payTo: OTHER_PAYEE })
    const first = await world.listing()
    await world.db.updateTable('listings').set({ check_due_at: null }).execute()
    await world.record({ payTo: otherPayees[1] })
    const second = await world.listing()
    expect(second.check_due_at?.getTime()).toBe((first.check_due_at?.getTime() ?? 0) + 60_000)
  })

  test('to a muxed payTo: owned as paid, found by its account', async () => {
    await world.record({ payTo: MUXED_SELLER })
    const { id, owner } = await world.listing()
    expect(owner).toBe(MUXED_SELLER)
    const options = await world.db.selectFrom('listing_options').selectAll().execute()
    expect(options).toMatchObject([
      { listing_id: id, pay_to: MUXED_SELLER, pay_to_account: SELLER },
    ])
    expect(await world.record({ payTo: SELLER })).toMatchObject({ code: 'bazaar_owner_conflict' })
  })
})
