import { sql } from 'kysely'
import { describe, expect, it, vi } from 'vitest'
import { claimWithChannel } from '../../../src/payments/store/settlements/claim/claim-with-channel.ts'
import { releaseClaim } from '../../../src/payments/store/settlements/claim/release.ts'
import { deleteOldSettlements } from '../../../src/payments/store/settlements/delete-old.ts'
import { findSettlement } from '../../../src/payments/store/settlements/find.ts'
import { transactionsAfter, transfersOf } from '../../support/ledger-view.ts'
import { claimRequest, fence, keyOf, network } from './store/builders.ts'
import { rowOf } from './store-view.ts'
import { openWorld, type World } from './world.ts'

const patience = { timeout: 120_000, interval: 50 }

describe('a repeat of a payment whose settlement was deleted', () => {
  /** Settles a payment; returns its request, its last valid ledger, and the payments on the ledger so far. */
  async function settled(world: World) {
    const { localnet } = world.stack
    const before = localnet.network.latest.sequence
    const body = await world.pay()
    expect((await world.stack.post('/settle', body)).body).toMatchObject({ success: true })
    const [row] = await world.stack.store.db
      .selectFrom('settlements')
      .select('expiration_ledger')
      .execute()
    const payments = () => transactionsAfter(localnet.network, before).flatMap(transfersOf)
    return { body, expires: Number(row?.expiration_ledger), payments }
  }

  const deleteAll = (world: World, expires: number) =>
    deleteOldSettlements(world.stack.store.db, {
      ...{ network, keptDays: 0, latestLedger: expires + 17_281 },
    })

  it('is refused, since its authorization has expired', async () => {
    await using world = await openWorld()
    const { localnet } = world.stack
    const { body, expires, payments } = await settled(world)
    expect(expires).toBeGreaterThan(localnet.network.latest.sequence)
    while (localnet.network.latest.sequence <= expires) await localnet.closeLedger()
    expect(await deleteAll(world, expires)).toBe(1)
    expect((await world.stack.post('/settle', body)).body).toMatchObject({
      success: false,
      errorReason: 'invalid_exact_stellar_signature_expired',
    })
    expect(payments()).toHaveLength(1)
    expect(await rowOf(world.stack, body)).toBeUndefined()
  })

  it('is refused by the ledger even before that, since its nonce is used', async () => {
    await using world = await openWorld()
    const { body, expires, payments } = await settled(world)
    expect(await deleteAll(world, expires)).toBe(1)
    expect((await world.stack.post('/settle', body)).body).toMatchObject({
      success: false,
      errorReason: 'invalid_exact_stellar_payload_nonce_already_used',
    })
    expect(payments()).toHaveLength(1)
  })
})

describe('a facilitator', () => {
  const withOldClaim = async (settlementRetentionDays?: number): Promise<World> => {
    const world = await openWorld(settlementRetentionDays ? { settlementRetentionDays } : {})
    const { store } = world.stack
    for (const nonce of ['old', 'new']) {
      await claimWithChannel(store.db, claimRequest(nonce))
      await releaseClaim(store.db, fence(nonce))
    }
    await sql`update settlements set claimed_at = claimed_at - interval '8 days',
      claim_expires_at = claim_expires_at - interval '8 days' where nonce = 'old'`.execute(store.db)
    for (const daysOld of [8, 31]) {
      await sql`insert into payment_identifiers
          (network, payer, scope, identifier, payload_hash, nonce, bound_at)
        values (${network}, 'GPAYER', 'GSELLER', ${`pay_of_${daysOld}_days_ago`}, ${'0'.repeat(64)}, 'deleted',
          now() - ${daysOld}::integer * interval '1 day')`.execute(store.db)
    }
    await sql`insert into catalog_outcome_counts
      values (now() - interval '1 day', 'settle', 'success', 'one', 1)`.execute(store.db)
    await world.stack.restart()
    return world
  }
  const isStored = async ({ stack }: World, nonce: string) =>
    (await findSettlement(stack.store.db, keyOf(nonce))) !== undefined

  const idsOf = async ({ stack }: World) => {
    const ids = await stack.store.db
      .selectFrom('payment_identifiers')
      .select('identifier')
      .execute()
    return ids.map(({ identifier }) => identifier).sort()
  }

  it('deletes what is older than its retention, and ids after 30 days', async () => {
    await using world = await withOldClaim(7)
    await vi.waitFor(async () => {
      expect(await isStored(world, 'old')).toBe(false)
      expect(await idsOf(world)).toEqual(['pay_of_8_days_ago'])
    }, patience)
    expect(await isStored(world, 'new')).toBe(true)
  })

  it('deletes old counts of the catalog without a retention too, and no settlement', async () => {
    await using world = await withOldClaim()
    const counts = world.stack.store.db.selectFrom('catalog_outcome_counts').selectAll()
    await vi.waitFor(async () => expect(await counts.execute()).toEqual([]), patience)
    expect((await world.stack.post('/settle', await world.pay())).body.success).toBe(true)
    expect(await isStored(world, 'old')).toBe(true)
    expect(await idsOf(world)).toEqual(['pay_of_31_days_ago', 'pay_of_8_days_ago'])
  })
})
