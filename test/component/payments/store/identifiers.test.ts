import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { ClaimRequest } from '../../../../src/payments/store/settlements/claim/claim-request.ts'
import {
  claimBatch,
  claimWithChannel,
} from '../../../../src/payments/store/settlements/claim/claim-with-channel.ts'
import {
  type BoundIdentifier,
  bindLost,
  findFirstPayment,
} from '../../../../src/payments/store/settlements/claim/identifiers.ts'
import { releaseClaim } from '../../../../src/payments/store/settlements/claim/release.ts'
import {
  deleteOldIdentifiers,
  deleteOldSettlements,
} from '../../../../src/payments/store/settlements/delete-old.ts'
import { findSettlement } from '../../../../src/payments/store/settlements/find.ts'
import { lookUpSettlement } from '../../../../src/payments/store/settlements/look-up.ts'
import { finishSettlement } from '../../../../src/payments/store/settlements/transitions/finish.ts'
import { recordEnvelope } from '../../../../src/payments/store/settlements/transitions/record.ts'
import { asStroops } from '../../../../src/platform/core/amounts/stroops.ts'
import { inTransaction } from '../../../../src/platform/database/in-transaction.ts'
import { openStore, type Store } from '../../../../src/platform/database/open.ts'
import { untilLockWaits } from '../../../support/lock-waits.ts'
import { freshDatabase, type TestDatabase } from '../../../support/postgres.ts'
import { emptyTables } from '../../platform/database/open-stores.ts'
import {
  addChannels,
  channelOf,
  claimRequest,
  ending,
  fence,
  keyOf,
  network,
  recording,
  sha256,
} from './builders.ts'

const ID = 'pay_7d5d747be160e280504c099d984bcfe0'

const identifierOf = (
  nonce: string,
  overrides: Partial<BoundIdentifier> = {},
): BoundIdentifier => ({
  scopes: ['GSELLER'],
  identifier: ID,
  payloadHash: sha256(`payload of ${nonce}`),
  ...overrides,
})

/** Each nonce is a payload of its own; all have the same id. */
const identified = (nonce: string, overrides: Partial<ClaimRequest> = {}): ClaimRequest =>
  claimRequest(nonce, { identifier: identifierOf(nonce), ...overrides })

let database: TestDatabase
let store: Store
let other: Store
beforeAll(async () => {
  database = await freshDatabase()
  store = await openStore({ kind: 'postgres', url: database.url })
  other = await openStore({ kind: 'postgres', url: database.url })
})
beforeEach(async () => {
  await emptyTables(store)
  await addChannels(store, 2)
})
afterAll(async () => {
  await store?.close()
  await other?.close()
  await database?.[Symbol.asyncDispose]()
})

const claim = (request: ClaimRequest, { db }: Store = store) => claimWithChannel(db, request)
const claimed = expect.objectContaining({ kind: 'claimed' })
const taken = { kind: 'identifier_taken' }

async function deleteSettlements(): Promise<void> {
  await store.db.deleteFrom('channels').execute()
  await store.db.deleteFrom('settlements').execute()
}

/** What a payload with the id is told of the first one. */
const first = (nonce: string) => findFirstPayment(other.db, keyOf(nonce), identifierOf(nonce))

describe('an id', () => {
  it('belongs to the payload that was claimed with it', async () => {
    expect(await claim(identified('1'))).toEqual(claimed)
    expect(await claim(identified('2'), other)).toEqual(taken)
    expect(await findSettlement(store.db, keyOf('2'))).toBeUndefined()
    expect(await first('1')).toBeUndefined()
  })

  it.each<{ of: string; request: Partial<ClaimRequest> }>([
    { of: 'another payer', request: { key: { ...keyOf('2'), payer: 'GOTHER' } } },
    {
      of: 'another network',
      request: { key: { ...keyOf('2'), network: 'stellar:pubnet' } },
    },
    { of: 'another scope', request: { identifier: identifierOf('2', { scopes: ['key:1'] }) } },
    {
      of: 'another payment',
      request: { identifier: identifierOf('2', { identifier: `${ID}_2` }) },
    },
    { of: 'none', request: { identifier: undefined } },
  ])('does not hinder a payment with that of $of', async ({ request }) => {
    await claim(identified('1'))
    expect(await claim(identified('2', request))).toEqual(claimed)
  })

  it.each([
    { of: 'the payee, by another API key', scopes: ['GSELLER', 'key:2'] },
    { of: 'the payee, without a key', scopes: ['GSELLER'] },
    { of: 'the API key, for another payee', scopes: ['GOTHER', 'key:1'] },
  ])('is refused in the scope of $of', async ({ scopes }) => {
    const scoped = (nonce: string, names: readonly string[]) =>
      identified(nonce, { identifier: identifierOf(nonce, { scopes: names }) })
    await claim(scoped('1', ['GSELLER', 'key:1']))
    expect(await claim(scoped('2', scopes))).toEqual(taken)
    expect(
      await findFirstPayment(store.db, keyOf('2'), identifierOf('2', { scopes })),
    ).toMatchObject({ state: 'claimed' })
    expect(await claim(scoped('3', ['GOTHER', 'key:2']))).toEqual(claimed)
  })

  it('hinders no repeat of a payment whose id another one has in a further scope', async () => {
    const scoped = (nonce: string, ...scopes: string[]) =>
      identified(nonce, { identifier: identifierOf(nonce, { scopes }) })
    await claim(scoped('1', 'GSELLER'))
    await claim(scoped('2', 'GOTHER', 'key:1'))
    expect(await claim(scoped('1', 'GSELLER', 'key:1'), other)).toMatchObject({ kind: 'existing' })
    await releaseClaim(store.db, fence('1'))
    expect(await claim(scoped('1', 'GSELLER', 'key:1'), other)).toEqual(taken)
  })

  it('stays with its payload once the claim has ended, which may claim again', async () => {
    await claim(identified('1'))
    await releaseClaim(store.db, fence('1'))
    expect(await claim(identified('2'))).toEqual(taken)
    expect(await claim(identified('1'))).toMatchObject({ kind: 'claimed', attempt: 2 })
  })

  it('is not bound by a request that claims nothing', async () => {
    await claim(claimRequest('1'))
    expect(await claim(identified('1', { fingerprint: sha256('another request') }))).toMatchObject({
      kind: 'existing',
    })
    const budget = { fee: asStroops(2n), hourly: asStroops(1n) }
    expect(await claim(identified('2', { budget }))).toEqual({ kind: 'over_budget' })
    expect(await claim(identified('3'))).toEqual(claimed)
  })

  it('is refused before a limit is', async () => {
    await claim(identified('1'))
    const budget = { fee: asStroops(2n), hourly: asStroops(1n) }
    expect(await claim(identified('2', { budget }))).toEqual(taken)
  })

  it('refuses another payload over an authorization that is claimed already', async () => {
    await claim(identified('1'))
    const fingerprint = sha256('another request')
    const identifier = identifierOf('1', { payloadHash: sha256('another payload') })
    expect(await claim(identified('1', { fingerprint, identifier }))).toEqual(taken)
  })
})

describe('of two payloads with one id', () => {
  it('that two replicas claim at once one is claimed, and nothing is written of the other', async () => {
    for (let round = 0; round < 10; round++) {
      const scopes = [`GSELLER${round}`, 'key:1']
      const identifier = `${ID}_${round}`
      const nonces = [`${2 * round}`, `${2 * round + 1}`]
      const outcomes = await Promise.all(
        nonces.map((nonce, index) =>
          claim(
            identified(nonce, { identifier: identifierOf(nonce, { scopes, identifier }) }),
            index === 0 ? store : other,
          ),
        ),
      )
      expect(outcomes.map(({ kind }) => kind).sort()).toEqual(['claimed', 'identifier_taken'])
      const rows = await Promise.all(nonces.map((nonce) => findSettlement(store.db, keyOf(nonce))))
      expect(rows.filter((row) => row !== undefined)).toHaveLength(1)
    }
  })

  it('the second waits for the first, and is refused with it', async () => {
    const second = await inTransaction(store.db, async (transaction) => {
      await claimWithChannel(transaction, identified('1'))
      const waiting = claim(identified('2'), other)
      await untilLockWaits(store.db, 1)
      return { waiting }
    })
    expect(await second.waiting).toEqual(taken)
    const leases = await sql<{ account: string }>`
      select account from channels where lease_settlement is not null`.execute(store.db)
    expect(leases.rows).toHaveLength(1)
  })

  it('the second is claimed when the first is rolled back', async () => {
    const waiting: Promise<unknown>[] = []
    const failing = inTransaction(store.db, async (transaction) => {
      await claimWithChannel(transaction, identified('1'))
      waiting.push(claim(identified('2'), other))
      await untilLockWaits(store.db, 1)
      throw new Error('rolled back')
    })
    await expect(failing).rejects.toThrow('rolled back')
    expect(await Promise.all(waiting)).toEqual([claimed])
  })

  it('that come to a process together one is claimed, and others beside them are', async () => {
    const batch = claimBatch(store.db)
    const requests = [identified('1'), claimRequest('3'), identified('2'), claimRequest('4')]
    const outcomes = await Promise.all(requests.map((request) => batch.write(request)))
    expect(outcomes.map(({ kind }) => kind)).toEqual([
      ...['claimed', 'claimed', 'identifier_taken', 'claimed'],
    ])
  })
})

describe('another payload is told that the first one', () => {
  const at = { isResolvable: true, expirationLedger: 4_294_967_295, mayBeSent: true }

  it('is claimed', async () => {
    await claim(identified('1'))
    expect(await first('2')).toEqual({
      ...{ ...at, state: 'claimed', transaction: null, mayBeSent: false },
    })
  })

  it.each(['succeeded', 'expired'] as const)('%s', async (state) => {
    const { account } = channelOf(await claim(identified('1')))
    await recordEnvelope(store.db, recording('1', { channel: account }))
    const transaction = sha256('hash of 1')
    expect(await first('2')).toEqual({ ...at, state: 'submitted', transaction })

    const ledger = state === 'expired' ? undefined : 1
    const madeIn = sha256('the transaction that made it')
    const response = { ...ending('1').response, transaction: madeIn }
    await finishSettlement(store.db, ending('1', { state, ledger, response }))
    expect(await first('2')).toEqual({ ...at, state, transaction: madeIn })
  })

  it('is not stored', async () => {
    await claim(identified('1'))
    await deleteSettlements()
    expect(await first('2')).toMatchObject({ state: null, isResolvable: true })
  })

  it('in the statement that reads its own settlement', async () => {
    await claim(identified('1'))
    const look = (nonce: string) =>
      lookUpSettlement(store.db, {
        key: keyOf(nonce),
        asset: 'CASSET',
        identifier: identifierOf(nonce),
      })
    expect(await look('2')).toMatchObject({
      settlement: undefined,
      firstPayment: { state: 'claimed' },
      hasOthers: true,
    })
    expect(await look('1')).toMatchObject({
      settlement: { state: 'claimed' },
      firstPayment: undefined,
    })
  })
})

describe('an old id', () => {
  const count = async () =>
    (await store.db.selectFrom('payment_identifiers').select('identifier').execute()).length
  const age = (days: number) =>
    sql`update payment_identifiers set bound_at = bound_at - ${days}::integer * interval '1 day'`.execute(
      store.db,
    )

  it.each([
    { keptDays: 1, daysOld: 29, hasSettlement: false, deleted: 0 },
    { keptDays: 1, daysOld: 31, hasSettlement: false, deleted: 1 },
    { keptDays: 1, daysOld: 31, hasSettlement: true, deleted: 0 },
    { keptDays: 40, daysOld: 39, hasSettlement: false, deleted: 0 },
    { keptDays: 40, daysOld: 41, hasSettlement: false, deleted: 1 },
  ])(
    'of $daysOld days, with its settlement: $hasSettlement, while settlements are kept for $keptDays days',
    async ({ keptDays, daysOld, hasSettlement, deleted }) => {
      await claim(identified('1'))
      await age(daysOld)
      if (!hasSettlement) await deleteSettlements()
      expect(await deleteOldIdentifiers(store.db, keptDays)).toBe(deleted)
      expect(await count()).toBe(1 - deleted)
      expect(await claim(identified('2'))).toEqual(deleted ? claimed : taken)
    },
  )

  it('outlasts its settlement', async () => {
    await claim(identified('1'))
    await releaseClaim(store.db, fence('1'))
    await sql`update settlements set claimed_at = claimed_at - interval '2 days',
      claim_expires_at = claim_expires_at - interval '2 days'`.execute(store.db)
    expect(await deleteOldSettlements(store.db, { network, keptDays: 1, latestLedger: 1 })).toBe(1)
    expect(await deleteOldIdentifiers(store.db, 1)).toBe(0)
    expect(await claim(identified('2'))).toEqual(taken)
  })
})

describe('ids that a failover has lost', () => {
  const paid = (nonce: string) => ({
    key: keyOf(nonce),
    identifier: identifierOf(nonce, { scopes: ['GSELLER', 'key:1'] }),
  })

  it('are bound to their payloads again, once', async () => {
    expect(await bindLost(store.db, [paid('1'), paid('1')])).toBe(2)
    expect(await bindLost(store.db, [paid('1')])).toBe(0)
    expect(await first('2')).toMatchObject({ state: null })
    expect(await claim(identified('2'))).toEqual(taken)
    expect(await claim(identified('1'))).toEqual(claimed)
  })

  it('stay with the payload that has one since', async () => {
    await claim(identified('2'))
    expect(await bindLost(store.db, [paid('1')])).toBe(1)
    expect(await claim(identified('1'))).toEqual(taken)
    expect(await claim(identified('2'), other)).toMatchObject({ kind: 'existing' })
  })

  it('may be none', async () => {
    expect(await bindLost(store.db, [])).toBe(0)
  })
})
