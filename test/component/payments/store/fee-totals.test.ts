import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { abandonExpiredClaims } from '../../../../src/payments/store/settlements/claim/abandon-expired-claims.ts'
import { claimWithChannel } from '../../../../src/payments/store/settlements/claim/claim-with-channel.ts'
import { releaseClaim } from '../../../../src/payments/store/settlements/claim/release.ts'
import { finishSettlement } from '../../../../src/payments/store/settlements/transitions/finish.ts'
import { asStroops } from '../../../../src/platform/core/amounts/stroops.ts'
import { asUsdUnits } from '../../../../src/platform/core/amounts/usd.ts'
import { openStore, type Store } from '../../../../src/platform/database/open.ts'
import { freshDatabase } from '../../../support/postgres.ts'
import { emptyTables, openEmptyStore } from '../../platform/database/open-stores.ts'
import {
  addChannels,
  claimRequest,
  ending,
  fence,
  NO_TIME,
  network,
  sponsor,
  submit,
} from './builders.ts'

const callers = ['public', 'shop'] as const

const feesOf = async ({ db }: Store, caller: string): Promise<bigint> => {
  const { rows } = await sql<{ fees: string }>`
    select fees_of_last_hour(${network}, ${sponsor}, ${caller}) as fees`.execute(db)
  return BigInt(rows[0]?.fees ?? -1n)
}

/** The same from the rows themselves; right as long as no attempt was charged and then claimed again. */
const feesOfRows = async ({ db }: Store, caller: string): Promise<bigint> => {
  const { rows } = await sql<{ fees: string }>`
    select coalesce(sum(case when state in ('claimed', 'submitted') then fee_committed
      else coalesce(fee_charged, 0) end), 0) as fees
    from settlements where network = ${network} and sponsor = ${sponsor}
      and ${caller} in ('', caller)`.execute(db)
  return BigInt(rows[0]?.fees ?? -1n)
}

const by = (caller: string) => ({ metering: { caller, serviceFee: asUsdUnits(0n) } })

describe('the totals of fees', () => {
  let store: Store
  beforeAll(async () => {
    store = await openEmptyStore()
  })
  afterEach(() => emptyTables(store))
  afterAll(() => store.close())

  it('follow each settlement from its claim to its end', async () => {
    await addChannels(store, 1)
    await submit(store, '1')
    expect(await feesOf(store, '')).toBe(40_000n)
    await finishSettlement(store.db, ending('1', { feeCharged: asStroops(33_000n) }))
    expect(await feesOf(store, '')).toBe(33_000n)
  })

  it('count nothing of claims that were released or abandoned', async () => {
    await claimWithChannel(store.db, claimRequest('1'))
    await claimWithChannel(store.db, claimRequest('2', { claimTtlMs: NO_TIME }))
    expect(await feesOf(store, '')).toBe(80_000n)
    await releaseClaim(store.db, fence('1'))
    await abandonExpiredClaims(store.db)
    expect(await feesOf(store, '')).toBe(0n)
  })

  it('count a claim that is taken over once, with the fee and the caller of the new attempt', async () => {
    await claimWithChannel(store.db, claimRequest('1', { claimTtlMs: NO_TIME }))
    const fee = asStroops(25_000n)
    await claimWithChannel(store.db, claimRequest('1', { budget: { fee }, ...by('shop') }))
    expect(await feesOf(store, '')).toBe(25_000n)
    expect(await feesOf(store, 'public')).toBe(0n)
    expect(await feesOf(store, 'shop')).toBe(25_000n)
  })

  it('are kept for each caller and for each sponsor', async () => {
    await claimWithChannel(store.db, claimRequest('1'))
    await claimWithChannel(store.db, claimRequest('2', by('shop')))
    await claimWithChannel(store.db, claimRequest('3', { ...by('shop'), sponsor: 'GOTHER' }))
    expect(await feesOf(store, 'public')).toBe(40_000n)
    expect(await feesOf(store, 'shop')).toBe(40_000n)
    expect(await feesOf(store, '')).toBe(80_000n)
  })

  it('no longer count minutes that are over for an hour, and are deleted after another', async () => {
    await claimWithChannel(store.db, claimRequest('1'))
    const age = (minutes: number) =>
      sql`update fee_totals set minute = minute - ${minutes} * interval '1 minute'`.execute(
        store.db,
      )
    await age(59)
    expect(await feesOf(store, '')).toBe(40_000n)
    await age(2)
    expect(await feesOf(store, '')).toBe(0n)
    await age(60)
    await claimWithChannel(store.db, claimRequest('2'))
    const { rows } = await sql`select from fee_totals`.execute(store.db)
    expect(rows).toHaveLength(callers.length)
  })
})

describe('the totals of fees over two replicas', () => {
  it('equal the sum over the rows after everything at once', async () => {
    await using database = await freshDatabase()
    const open = () => openStore({ kind: 'postgres', url: database.url, poolSize: 8 })
    await using one = await open()
    await using two = await open()
    await addChannels(one, 200)
    const settle = async (nonce: number) => {
      const store = nonce % 2 ? one : two
      const metering = by(nonce % 3 ? 'public' : 'shop')
      const claimTtlMs = nonce % 5 ? 30_000 : NO_TIME
      const request = claimRequest(`${nonce}`, { claimTtlMs, ...metering })
      if (nonce % 7 === 0) {
        await claimWithChannel(store.db, request)
        await releaseClaim(store.db, fence(`${nonce}`))
      }
      if (nonce % 5 === 0) {
        await claimWithChannel(store.db, request)
        await abandonExpiredClaims(store.db)
        return
      }
      if (nonce % 11 === 0) await claimWithChannel(store.db, request)
      if (nonce % 7 === 0 || nonce % 11 === 0) return
      await submit(store, `${nonce}`)
      const feeCharged = asStroops(BigInt(30_000 + nonce))
      if (nonce % 4) await finishSettlement(store.db, ending(`${nonce}`, { feeCharged }))
    }
    await Promise.all(Array.from({ length: 200 }, (_, nonce) => settle(nonce)))
    for (const caller of ['', ...callers]) {
      expect(await feesOf(one, caller), caller).toBe(await feesOfRows(one, caller))
    }
    expect(await feesOf(one, 'shop')).toBeGreaterThan(0n)
  })
})
