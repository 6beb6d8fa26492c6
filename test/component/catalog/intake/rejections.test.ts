/** What the catalog refuses because of the payment or of what is listed, and what of its own failures. */
import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { RawDeclaration } from '../../../../src/catalog/listing.ts'
import type { DeclarationValidator } from '../../../../src/catalog/validation/declaration-validator.ts'
import { MUXED_SELLER, mcpBazaar, SELLER } from '../../../support/catalog/declarations.ts'
import {
  BUYER,
  type IntakeWorld,
  LIMITLESS,
  network,
  openIntakeWorld,
  otherPayees,
  type Settled,
  settle,
} from './intake-world.ts'

const at = (path: string): Partial<RawDeclaration> => ({
  resource: { url: `https://api.example.com/${path}` },
})
/** A validator whose answers are the test's. */
const answering = (validate: DeclarationValidator['validate']) => ({
  validator: { allowLoopback: false, validate },
})

describe('an intake', () => {
  let world: IntakeWorld
  beforeAll(async () => {
    world = await openIntakeWorld()
  })
  afterEach(() => world.empty())
  afterAll(() => world[Symbol.asyncDispose]())

  const codesOf = async (ids: readonly bigint[]) => {
    const outcomes = await Promise.all(ids.map((id) => world.outcomeOf(id)))
    return outcomes.map(({ code }) => code)
  }

  test('refuses what a declaration itself breaks, and names the resource where it can', async () => {
    const declaration = { bazaar: 'x', ...at('weather?x=1') }
    expect(await world.record({ declaration })).toMatchObject({
      status: 'rejected',
      code: 'bazaar_extension_malformed',
      reason: 'The bazaar extension is not an object.',
      resource: 'https://api.example.com/weather?x=1',
      listing_id: null,
      version: null,
    })
    const hostile = { bazaar: 'x', resource: { url: 'a\0b\ud800c' } }
    expect((await world.record({ declaration: hostile })).resource).toBe('ab\ufffdc')
    expect(await world.listings()).toEqual([])
  })

  test('bazaar_unsupported_version: the payment is of another version', async () => {
    expect(await world.record({ declaration: { x402Version: 1 } })).toMatchObject({
      status: 'rejected',
      code: 'bazaar_unsupported_version',
    })
  })

  test.each<[string, Settled]>([
    ['is the payee', { payer: SELLER }],
    ['is the account of a muxed payee', { payer: SELLER, payTo: MUXED_SELLER }],
  ])('bazaar_self_payment: the payer %s', async (_, settled) => {
    expect(await world.record(settled)).toMatchObject({
      status: 'rejected',
      code: 'bazaar_self_payment',
    })
    expect(await world.listings()).toEqual([])
  })

  test.each([BUYER, SELLER])(
    'bazaar_self_payment: %s is an account of the facilitator',
    async (own) => {
      const outcome = await world.record(
        { payTo: own === SELLER ? MUXED_SELLER : SELLER },
        { isOwnAccount: (of, address) => of === network && address === own },
      )
      expect(outcome).toMatchObject({ status: 'rejected', code: 'bazaar_self_payment' })
    },
  )

  test('bazaar_settlement_reused: the transaction was recorded for another resource', async () => {
    const first = await world.record({ declaration: at('one') })
    const { transaction } = first
    expect(await world.record({ transaction, declaration: at('two') })).toMatchObject({
      status: 'rejected',
      code: 'bazaar_settlement_reused',
      listing_id: null,
    })
    const tool = { bazaar: mcpBazaar(), ...at('one') }
    expect(await world.record({ transaction, declaration: tool })).toMatchObject({
      code: 'bazaar_settlement_reused',
    })
    const elsewhere = { transaction, declaration: at('two'), network: 'stellar:pubnet' } as const
    expect(await world.record(elsewhere)).toMatchObject({ code: 'awaiting_origin_verification' })
    expect(await world.listings()).toHaveLength(2)
  })

  test('records a settlement once, even when it comes again', async () => {
    const outcome = await world.record()
    const again = await settle(world.store)
    await world.db
      .updateTable('catalog_outbox')
      .set({ settlement_id: outcome.settlement_id })
      .where('settlement_id', '=', again)
      .execute()
    await world.drain()
    expect(await world.listing()).toMatchObject({ settlements: 1n })
    expect(await world.outcomeOf(outcome.settlement_id)).toEqual(outcome)
  })

  describe('bazaar_rate_limited', () => {
    test.each<[string, Partial<typeof LIMITLESS>, Settled]>([
      ['payee', { perOwner: 2 }, {}],
      ['payer', { perPayer: 2 }, { payTo: otherPayees[0] }],
      ['catalog', { inTotal: 2 }, { payer: otherPayees[0], payTo: otherPayees[1] }],
    ])('by the new listings of the %s', async (whose, quota, other) => {
      const quotas = { ...LIMITLESS, ...quota }
      const list = (path: string, settled: Settled = {}) =>
        world.record({ ...settled, declaration: at(path) }, { quotas })
      await list('1')
      await list('2', other)
      const reason = `The ${whose} has 2 new listings within an hour; a later settlement lists the resource.`
      expect(await list('3')).toMatchObject({
        status: 'rejected',
        code: 'bazaar_rate_limited',
        reason,
        listing_id: null,
      })
      // Settlements of what is listed are no new listings.
      expect(await list('1')).toMatchObject({ status: 'processing' })
      await world.db
        .updateTable('catalog_new_listings')
        .set({ at: new Date(Date.now() - 3_600_001) })
        .execute()
      expect(await list('3')).toMatchObject({ code: 'awaiting_origin_verification' })
    })

    test('of a payee only by what its payer declared, and by what an origin has confirmed', async () => {
      const quotas = { ...LIMITLESS, perOwner: 2 }
      const list = async (path: string, settled: Settled = {}) =>
        (await world.record({ ...settled, declaration: at(path) }, { quotas })).code
      await list('1')
      await list('2')
      const stranger = { payer: otherPayees[0]! }
      expect(await list('3', stranger)).toBe('awaiting_origin_verification')
      await world.db
        .updateTable('listings')
        .set({ trust: 'origin_verified', state: 'published', first_published_at: new Date() })
        .execute()
      expect(await list('4', stranger)).toBe('bazaar_rate_limited')
    })

    test('counts the ids of an account as one payee', async () => {
      const quotas = { ...LIMITLESS, perOwner: 1 }
      await world.record({ declaration: at('1'), payTo: MUXED_SELLER }, { quotas })
      const outcome = await world.record({ declaration: at('2'), payTo: SELLER }, { quotas })
      expect(outcome.code).toBe('bazaar_rate_limited')
    })

    test('by the share of those without a proof, so that one with many accounts leaves room for others', async () => {
      const quotas = { ...LIMITLESS, inTotal: 20 }
      const list = async (path: string, payTo: string) =>
        (await world.record({ payTo, declaration: at(path) }, { quotas })).code
      const count = (standing: 'known' | 'first', times: number) =>
        world.db
          .insertInto('catalog_new_listings')
          .values(
            Array.from({ length: times }, () => ({
              ...{ listing_id: randomUUID(), owner: 'any', payer: 'any', standing, at: new Date() },
            })),
          )
          .execute()
      const [known, [fresh, later]] = [SELLER, otherPayees]
      expect(await list('1', known)).toBe('awaiting_origin_verification')
      await count('known', 10)
      expect(await list('2', known)).toBe('bazaar_rate_limited')
      expect(await list('3', fresh)).toBe('awaiting_origin_verification')
      await count('first', 3)
      expect(await list('4', later)).toBe('bazaar_rate_limited')
      await world.db
        .updateTable('listings')
        .set({ trust: 'domain_verified', state: 'published', first_published_at: new Date() })
        .execute()
      expect(await list('5', known)).toBe('awaiting_origin_verification')
    })

    test('is exact with several processes', async () => {
      const quotas = { ...LIMITLESS, inTotal: 7 }
      const ids = []
      for (let n = 0; n < 30; n++) ids.push(await settle(world.store, { declaration: at(`${n}`) }))
      await using _one = world.start({ quotas, writer: 'one' })
      await using _two = world.start({ quotas, writer: 'two' })
      await world.drain({ quotas })
      const codes = await codesOf(ids)
      expect(codes.filter((code) => code === 'awaiting_origin_verification')).toHaveLength(7)
      expect(codes.filter((code) => code === 'bazaar_rate_limited')).toHaveLength(23)
      expect(await world.listings()).toHaveLength(7)
    })
  })

  const failures = async () => {
    const { values } = await world.metrics.backgroundErrors.get()
    return values.find(({ labels }) => labels.task === 'cataloging')?.value ?? 0
  }

  test('bazaar_catalog_unavailable: a declaration that fails each time, which holds up no others', async () => {
    const before = await failures()
    const poison = await settle(world.store, { body: 'no JSON' })
    const good = await settle(world.store)
    await world.drain()
    expect(await codesOf([poison, good])).toEqual([
      'bazaar_catalog_unavailable',
      'awaiting_origin_verification',
    ])
    expect((await failures()) - before).toBe(12)
  })

  test.each([
    [8, 64_000],
    [9, 120_000],
  ])('waits longer after each failure: after %i at most %i ms', async (tries, ms) => {
    const id = await settle(world.store, { body: 'no JSON' })
    const waiting = world.db.selectFrom('catalog_outbox').where('settlement_id', '=', id)
    const earlier = { tries: tries - 1 }
    await world.db.updateTable('catalog_outbox').set(earlier).execute()
    await using _intake = world.start({ random: () => 1, takenForMs: 3_600_000 })
    await world.until(async () => {
      const row = await waiting.selectAll().executeTakeFirstOrThrow()
      expect(row.tries).toBe(tries)
      const waits = row.due_at.getTime() - Date.now()
      expect(waits).toBeLessThanOrEqual(ms)
      expect(waits).toBeGreaterThan(ms / 2)
    })
  })

  test('bazaar_catalog_unavailable: the validator stays busy', async () => {
    let asked = 0
    const busy = answering(async () => {
      asked += 1
      return { ok: false, code: 'bazaar_catalog_unavailable', reason: 'The catalog is busy.' }
    })
    expect(await world.record({}, busy)).toMatchObject({
      status: 'rejected',
      code: 'bazaar_catalog_unavailable',
    })
    expect(asked).toBe(12)
  })

  test('bazaar_schema_timeout: only when it happens twice', async () => {
    let asked = 0
    const late = (times: number) =>
      answering(async () => {
        asked += 1
        return asked > times
          ? { ok: true }
          : { ok: false, code: 'bazaar_schema_timeout', reason: 'The schema takes longer.' }
      })
    expect(await world.record({ declaration: at('1') }, late(1))).toMatchObject({
      code: 'awaiting_origin_verification',
    })
    asked = 0
    expect(await world.record({ declaration: at('2') }, late(9))).toMatchObject({
      code: 'bazaar_schema_timeout',
    })
    expect(asked).toBe(2)
  })
})
