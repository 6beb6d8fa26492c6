import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  deleteOldCatalogCounts,
  deleteOldOutcomes,
} from '../../../../src/catalog/store/delete-old-outcomes.ts'
import { claimWithChannel } from '../../../../src/payments/store/settlements/claim/claim-with-channel.ts'
import { releaseClaim } from '../../../../src/payments/store/settlements/claim/release.ts'
import {
  DELETED_AT_ONCE,
  deleteOldSettlements,
  type OldSettlements,
} from '../../../../src/payments/store/settlements/delete-old.ts'
import { findSettlement } from '../../../../src/payments/store/settlements/find.ts'
import { finishSettlement } from '../../../../src/payments/store/settlements/transitions/finish.ts'
import { openStore, type Store } from '../../../../src/platform/database/open.ts'
import { freshDatabase, type TestDatabase } from '../../../support/postgres.ts'
import { recordDeclarations } from '../../../support/recorded-declarations.ts'
import { emptyTables } from '../../platform/database/open-stores.ts'
import { addChannels, claimRequest, ending, fence, keyOf, network, submit } from './builders.ts'

const LATEST = 100_000
const DAY_OF_LEDGERS = 17_280
const old: OldSettlements = { network, keptDays: 30, latestLedger: LATEST }

/** Of a settlement to keep or to delete; by default one that nothing needs any more. */
interface Row {
  readonly state?:
    | 'claimed'
    | 'submitted'
    | 'succeeded'
    | 'failed'
    | 'expired'
    | 'released'
    | 'abandoned'
    | 'refused'
  readonly daysOld?: number
  readonly expires?: number | null
  readonly recordedAt?: number
  readonly because?: string
}

const isFree = (state: Row['state']) =>
  state === 'released' || state === 'abandoned' || state === 'refused'

describe('retention', () => {
  let database: TestDatabase
  let store: Store
  let other: Store
  beforeAll(async () => {
    database = await freshDatabase()
    store = await openStore({ kind: 'postgres', url: database.url })
    other = await openStore({ kind: 'postgres', url: database.url })
    // So that a test can make a final row older.
    await sql`alter table settlements disable trigger recorded_rows_never_change`.execute(store.db)
  })
  beforeEach(async () => {
    await emptyTables(store)
    await addChannels(store, 1)
  })
  afterAll(async () => {
    await store.close()
    await other.close()
    await database[Symbol.asyncDispose]()
  })

  async function bring(nonce: string, state: Row['state']): Promise<void> {
    if (state === 'claimed' || isFree(state)) {
      await claimWithChannel(store.db, claimRequest(nonce))
      if (state !== 'claimed') await releaseClaim(store.db, fence(nonce))
      return
    }
    await submit(store, nonce)
    if (state === 'submitted' || state === undefined) return
    const ledger = state === 'expired' ? undefined : 1
    await finishSettlement(store.db, ending(nonce, { state, ledger }))
  }

  async function put(nonce: string, row: Row): Promise<void> {
    const { state = 'succeeded', daysOld = 31 } = row
    const { expires = LATEST - DAY_OF_LEDGERS - 1, recordedAt = LATEST - DAY_OF_LEDGERS } = row
    await bring(nonce, state)
    const age = sql`${daysOld}::integer * interval '1 day'`
    await sql`update settlements set expiration_ledger = ${expires}::bigint,
        unresolvable_because = ${row.because ?? null}, state = case when state = 'released' then ${state} else state end,
        recorded_at_ledger = case when recorded_at_ledger is not null then ${recordedAt}::bigint end,
        claimed_at = claimed_at - ${age}, claim_expires_at = claim_expires_at - ${age},
        finished_at = finished_at - ${age}
      where nonce = ${nonce}`.execute(store.db)
  }

  const nullBound = LATEST - DAY_OF_LEDGERS - 3_602
  it.each<Row & { what: string; deleted: boolean }>([
    { what: 'a success, long ended and long expired', deleted: true },
    { what: 'a failure', state: 'failed', deleted: true },
    { what: 'an expiry', state: 'expired', deleted: true },
    { what: 'a success that ended lately', daysOld: 29, deleted: false },
    {
      what: 'one whose authorization expired a day of ledgers ago',
      expires: LATEST - DAY_OF_LEDGERS,
      deleted: false,
    },
    { what: 'one whose authorization is valid', expires: LATEST + 5, deleted: false },
    {
      what: 'one that was stored again, long expired at the latest',
      expires: null,
      recordedAt: nullBound - 1,
      deleted: true,
    },
    {
      what: 'one that was stored again, expired lately at the latest',
      expires: null,
      recordedAt: nullBound,
      deleted: false,
    },
    {
      what: 'one from before a network reset',
      expires: LATEST + 50_000,
      recordedAt: LATEST + 1,
      deleted: true,
    },
    {
      what: 'a recent one from before a network reset',
      daysOld: 29,
      expires: LATEST + 50_000,
      recordedAt: LATEST + 1,
      deleted: false,
    },
    { what: 'a released claim', state: 'released', expires: LATEST + 5, deleted: true },
    { what: 'an abandoned claim', state: 'abandoned', expires: LATEST + 5, deleted: true },
    { what: 'a refused attempt', state: 'refused', expires: LATEST + 5, deleted: true },
    { what: 'a claim released lately', state: 'released', daysOld: 29, deleted: false },
    { what: 'a claim', state: 'claimed', deleted: false },
    { what: 'a recorded settlement', state: 'submitted', deleted: false },
    { what: 'an unresolvable settlement', state: 'submitted', because: 'reset', deleted: false },
  ])('of $what: deleted is $deleted', async ({ deleted, ...row }) => {
    await put('1', row)
    expect(await deleteOldSettlements(store.db, old)).toBe(deleted ? 1 : 0)
    expect((await findSettlement(store.db, keyOf('1'))) === undefined).toBe(deleted)
  })

  it('deletes the refused envelopes of a settlement with it', async () => {
    await put('1', { state: 'refused' })
    await sql`insert into refused_attempts select id, 1, 'GCHANNEL0', 'envelope', 'hash', 'inner', 1, now(), 1,
      'txInsufficientFee', now() from settlements`.execute(store.db)
    expect(await deleteOldSettlements(store.db, old)).toBe(1)
    const { rows } = await sql`select from refused_attempts`.execute(store.db)
    expect(rows).toEqual([])
  })

  it('keeps the declaration of a settlement until a catalog process has recorded it', async () => {
    await put('1', {})
    await sql`insert into catalog_outbox (settlement_id, network, payer, nonce, pay_to, scheme, asset, amount,
        transaction, settled_at, body, due_at)
      select id, network, payer, nonce, pay_to, scheme, asset, amount, 'hash', now(), '{}', now()
      from settlements`.execute(store.db)
    expect(await deleteOldSettlements(store.db, old)).toBe(1)
    const recorded = { status: 'success', code: 'cataloged', dropped: [] } as const
    expect(await recordDeclarations(store.db, recorded)).toBe(1)
  })

  it('deletes an old outcome of a declaration after its settlement, not before', async () => {
    await put('1', {})
    await sql`insert into catalog_outcomes (settlement_id, network, payer, nonce, pay_to, transaction, status, code,
        dropped, at)
      select id, network, payer, nonce, pay_to, 'hash', 'success', 'cataloged', '{}', now() - interval '31 days'
      from settlements`.execute(store.db)
    await sql`insert into catalog_outcomes (settlement_id, network, payer, nonce, pay_to, transaction, status, code,
        dropped, at)
      values (-1, ${network}, 'GPAYER', '2', 'GSELLER', 'hash', 'success', 'cataloged', '{}',
        now() - interval '29 days')`.execute(store.db)
    expect(await deleteOldOutcomes(store.db, 30)).toBe(0)
    await deleteOldSettlements(store.db, old)
    const counts = [deleteOldOutcomes(store.db, 30), deleteOldOutcomes(other.db, 30)]
    expect((await Promise.all(counts)).sort()).toEqual([0, 1])
    const left = await store.db.selectFrom('catalog_outcomes').select('nonce').execute()
    expect(left).toEqual([{ nonce: '2' }])
  })

  it('keeps the counts of outcomes for two hours, and those of new listings for a day', async () => {
    await sql`insert into catalog_outcome_counts
      select now() - n * interval '1 minute', 'settle', 'success', 'one', 1
      from unnest(array[0, 119, 121]) n`.execute(store.db)
    await sql`insert into catalog_new_listings (listing_id, owner, payer, at)
      select gen_random_uuid(), 'GOWNER', 'GPAYER', now() - n * interval '1 hour'
      from unnest(array[0, 23, 25]) n`.execute(store.db)
    await Promise.all([deleteOldCatalogCounts(store.db), deleteOldCatalogCounts(other.db)])
    const counts = await store.db.selectFrom('catalog_outcome_counts').select('minute').execute()
    const listings = await store.db.selectFrom('catalog_new_listings').select('at').execute()
    expect([counts.length, listings.length]).toEqual([2, 2])
  })

  it('keeps the settlements of another network', async () => {
    await put('1', {})
    const pubnet = { ...old, network: 'stellar:pubnet' } as const
    expect(await deleteOldSettlements(store.db, pubnet)).toBe(0)
  })

  it('keeps a settlement that a channel still names', async () => {
    await put('1', {})
    await sql`update channels set lease_owner = 'one', lease_expires_at = now(),
      lease_settlement = (select id from settlements)`.execute(store.db)
    expect(await deleteOldSettlements(store.db, old)).toBe(0)
  })

  it('deletes in steps, oldest first, which replicas share', async () => {
    await put('0', {})
    // Copies of the first row, each a second older than the one before.
    await sql`insert into settlements (network, payer, nonce, attempt, state, fingerprint, scheme, asset,
        pay_to, amount, sponsor, owner, claimed_at, claim_expires_at, expiration_ledger)
      select network, payer, n::text, 1, 'released', fingerprint, scheme, asset, pay_to, amount, sponsor,
        owner, claimed_at - n * interval '1 second', claim_expires_at, expiration_ledger
      from settlements, generate_series(1, ${2 * DELETED_AT_ONCE}::integer) n`.execute(store.db)
    const counts = await Promise.all([
      deleteOldSettlements(store.db, old),
      deleteOldSettlements(other.db, old),
    ])
    expect(counts).toEqual([DELETED_AT_ONCE, DELETED_AT_ONCE])
    const left = await store.db.selectFrom('settlements').select('nonce').execute()
    expect(left).toEqual([{ nonce: '0' }])
    expect(await deleteOldSettlements(store.db, old)).toBe(1)
    expect(await deleteOldSettlements(store.db, old)).toBe(0)
  })

  it('lets a deleted authorization be claimed like a new one', async () => {
    await put('1', { state: 'released' })
    await deleteOldSettlements(store.db, old)
    expect(await claimWithChannel(store.db, claimRequest('1'))).toMatchObject({
      kind: 'claimed',
      attempt: 1,
    })
  })
})
