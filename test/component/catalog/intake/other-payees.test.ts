/** The rows of the transition table whose event is a settlement to another payee, and the claims that it leaves. */
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { MUXED_SELLER, mcpBazaar, SELLER } from '../../../support/catalog/declarations.ts'
import {
  type IntakeWorld,
  isDueNow,
  OTHER_PAYEE,
  openIntakeWorld,
  otherPayees,
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

  test('other payees: the newest five keep their claims, beside that of the owner', async () => {
    await world.record()
    await world.record(changed)
    for (const payTo of otherPayees) await world.record({ payTo })
    const claims = await world.claims()
    expect(claims.map(({ pay_to }) => pay_to)).toEqual([SELLER, ...otherPayees.slice(1)])
    const outcome = await world.record({ payTo: OTHER_PAYEE, option: { amount: '7' } })
    const newest = (await world.claims()).at(-1)
    expect(newest).toMatchObject({ pay_to: OTHER_PAYEE, transaction: outcome.transaction })
    expect(newest?.content).toMatchObject({ accepts: [{ amount: '7', payTo: OTHER_PAYEE }] })
  })

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
