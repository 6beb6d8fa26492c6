import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { listChannels, putChannels } from '../../../../src/payments/store/channels/channel.ts'
import { claimWithChannel } from '../../../../src/payments/store/settlements/claim/claim-with-channel.ts'
import { findSettlement } from '../../../../src/payments/store/settlements/find.ts'
import { finishSettlement } from '../../../../src/payments/store/settlements/transitions/finish.ts'
import { recordEnvelope } from '../../../../src/payments/store/settlements/transitions/record.ts'
import { asStroops } from '../../../../src/platform/core/amounts/stroops.ts'
import type { Store } from '../../../../src/platform/database/open.ts'
import { emptyTables, openEmptyStore } from '../../platform/database/open-stores.ts'
import {
  addChannels,
  claimRequest,
  ending,
  keyOf,
  network,
  recording,
  sponsor,
  submit,
} from './builders.ts'

const MAX_INT64 = 2n ** 63n - 1n

describe('a value in the store', () => {
  let store: Store
  beforeAll(async () => {
    store = await openEmptyStore()
  })
  afterEach(() => emptyTables(store))
  afterAll(() => store.close())

  const claimOf = (amount: bigint) => {
    const { facts } = claimRequest('1')
    return claimWithChannel(store.db, claimRequest('1', { facts: { ...facts, amount } }))
  }

  it.each([0n, 1n, 2n ** 53n + 1n, MAX_INT64 + 1n, 2n ** 127n - 1n])(
    'keeps the amount %d to the last unit',
    async (amount) => {
      await claimOf(amount)
      expect((await findSettlement(store.db, keyOf('1')))?.facts.amount).toBe(amount)
    },
  )

  it.each([-1n, 10n ** 39n])('refuses the amount %d', async (amount) => {
    await expect(claimOf(amount)).rejects.toThrow(/settlements_amount_check|numeric field overflow/)
    expect(await findSettlement(store.db, keyOf('1'))).toBeUndefined()
  })

  it('cuts the URL of a resource to 2,048 characters, without NUL', async () => {
    const { facts } = claimRequest('1')
    const resourceUrl = `https://example.org/\0${'a'.repeat(3_000)}`
    const request = claimRequest('1', { facts: { ...facts, resourceUrl } })
    expect(await claimWithChannel(store.db, request)).toMatchObject({ kind: 'claimed' })
    const kept = (await findSettlement(store.db, keyOf('1')))?.facts.resourceUrl
    expect(kept).toBe(`https://example.org/${'a'.repeat(3_000)}`.slice(0, 2_048))
  })

  it('keeps the URL of a resource with half a surrogate pair, replaced', async () => {
    const { facts } = claimRequest('1')
    const request = claimRequest('1', { facts: { ...facts, resourceUrl: 'https://a/\ud800b' } })
    expect(await claimWithChannel(store.db, request)).toMatchObject({ kind: 'claimed' })
    const kept = (await findSettlement(store.db, keyOf('1')))?.facts.resourceUrl
    expect(kept).toBe('https://a/\ufffdb')
  })

  it.each([`${-(2n ** 63n)}`, '-1', '0', `${MAX_INT64}`])(
    'distinguishes the nonce %s from every other spelling',
    async (nonce) => {
      await claimWithChannel(store.db, claimRequest(nonce))
      expect((await findSettlement(store.db, keyOf(nonce)))?.key.nonce).toBe(nonce)
      expect(await findSettlement(store.db, keyOf(`0${nonce}`))).toBeUndefined()
    },
  )

  it.each([0n, 2n ** 53n + 1n, MAX_INT64])(
    'keeps the sequence number %d through a whole settlement',
    async (sequence) => {
      await putChannels(store.db, [{ network, sponsor, index: 0, account: 'GCHANNEL0', sequence }])
      expect(await claimWithChannel(store.db, claimRequest('1'))).toMatchObject({
        channel: { sequence },
      })
      await recordEnvelope(store.db, recording('1', { sequenceUsed: sequence }))
      await finishSettlement(store.db, ending('1'))
      expect(await listChannels(store.db, network)).toMatchObject([{ sequence }])
    },
  )

  it('keeps the largest fee, ledger and time', async () => {
    await addChannels(store, 1)
    await claimWithChannel(store.db, claimRequest('1'))
    const maxTime = Number.MAX_SAFE_INTEGER
    const ledger = 2 ** 32 - 1
    await recordEnvelope(store.db, recording('1', { maxTime, ledger: ledger - 1 }))
    await finishSettlement(store.db, ending('1', { ledger, feeCharged: asStroops(MAX_INT64) }))
    expect(await findSettlement(store.db, keyOf('1'))).toMatchObject({
      recorded: { maxTime, recordedAtLedger: ledger - 1 },
      outcome: { ledger, feeCharged: MAX_INT64 },
    })
  })

  it.each([
    ['members in an order of their own', { z: 1, a: 2, m: { z: 1, a: 2 }, 10: 'ten', 9: 'nine' }],
    ['text of every kind', { text: 'ü “日本” 🚀 \\ " \n \u2028 \u0001' }],
    ['what is empty', { none: null, list: [], nested: {}, text: '' }],
    ['numbers', { small: 1e-7, large: 1.5e300, integer: Number.MAX_SAFE_INTEGER, negative: -0.5 }],
    ['much', { text: 'x'.repeat(200_000) }],
  ])('answers a response of %s byte by byte', async (_, response) => {
    await addChannels(store, 1)
    await submit(store, '1')
    const { settlement } = await finishSettlement(store.db, ending('1', { response }))
    const found = await findSettlement(store.db, keyOf('1'))
    for (const { outcome } of [settlement, found ?? settlement]) {
      expect(JSON.stringify(outcome?.response)).toBe(JSON.stringify(response))
    }
  })

  it('reads int8 as bigint and smaller integers as numbers', async () => {
    const { rows } = await sql`select ${sql.lit(`${MAX_INT64}`)}::int8 as n, 1::int4 as i`.execute(
      store.db,
    )
    expect(rows).toEqual([{ n: MAX_INT64, i: 1 }])
    // Other connections of this process are left as they are.
    expect(pg.types.getTypeParser(pg.types.builtins.INT8)('7')).toBe('7')
  })
})
