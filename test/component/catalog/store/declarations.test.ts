import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { handOverLeft } from '../../../../src/catalog/store/outbox.ts'
import { resolveSettlement } from '../../../../src/payments/engine/follow/resolve-by-hand.ts'
import { claimWithChannel } from '../../../../src/payments/store/settlements/claim/claim-with-channel.ts'
import { releaseClaim } from '../../../../src/payments/store/settlements/claim/release.ts'
import { deleteOldSettlements } from '../../../../src/payments/store/settlements/delete-old.ts'
import { flagUnresolvable } from '../../../../src/payments/store/settlements/due.ts'
import { findSettlement } from '../../../../src/payments/store/settlements/find.ts'
import {
  finishBatch,
  finishSettlement,
} from '../../../../src/payments/store/settlements/transitions/finish.ts'
import {
  recordBatch,
  recordEnvelope,
} from '../../../../src/payments/store/settlements/transitions/record.ts'
import {
  finishRefusedAsSucceeded,
  refuseAttempt,
} from '../../../../src/payments/store/settlements/transitions/refuse.ts'
import { asStroops } from '../../../../src/platform/core/amounts/stroops.ts'
import type { Store } from '../../../../src/platform/database/open.ts'
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
} from '../../payments/store/builders.ts'
import { emptyTables, openEmptyStore } from '../../platform/database/open-stores.ts'

const bodyOf = (nonce: string) => JSON.stringify({ resource: { url: `https://seller/${nonce}` } })

describe('the declaration of a payment', () => {
  let store: Store
  beforeAll(async () => {
    store = await openEmptyStore()
  })
  beforeEach(() => addChannels(store, 3))
  afterEach(() => emptyTables(store))
  afterAll(() => store.close())

  /** Claims and records an attempt. */
  const submit = async (nonce: string, declaration: string | undefined, attempt = 1) => {
    const { account } = channelOf(await claimWithChannel(store.db, claimRequest(nonce)))
    const txHash = sha256(`hash of ${nonce}, ${attempt}`)
    const recorded = recording(nonce, { channel: account, attempt, declaration, txHash })
    expect(await recordEnvelope(store.db, recorded)).toBe(true)
  }
  const refuse = (nonce: string, attempt: number) =>
    refuseAttempt(store.db, {
      ...{ key: keyOf(nonce), attempt, resultCode: 'txInsufficientFee', recordedWithinMs: 60_000 },
    })
  const landed = (nonce: string, attempt: number) => {
    const { key, response } = ending(nonce)
    const feeCharged = asStroops(0n)
    return finishRefusedAsSucceeded(store.db, { key, attempt, response, ledger: 9, feeCharged })
  }
  const declared = async () => {
    const rows = await store.db.selectFrom('catalog_declarations').select('body').execute()
    return rows.map(({ body }) => body).sort()
  }
  const handedOver = async () => {
    const rows = await store.db.selectFrom('catalog_outbox').selectAll().execute()
    return rows.map(({ body }) => body).sort()
  }

  it('is handed over once its payment has succeeded, with the payment', async () => {
    await submit('1', bodyOf('1'))
    expect(await declared()).toEqual([bodyOf('1')])
    expect(await handedOver()).toEqual([])
    const response = { ...ending('1').response, transaction: sha256('another fee bump') }
    const { settlement } = await finishSettlement(store.db, ending('1', { response }))
    const { key, facts, id } = settlement
    expect(await store.db.selectFrom('catalog_outbox').selectAll().execute()).toEqual([
      {
        settlement_id: id,
        ...key,
        pay_to: facts.payTo,
        scheme: facts.scheme,
        asset: facts.asset,
        amount: facts.amount.toString(),
        transaction: response.transaction,
        settled_at: settlement.outcome?.finishedAt,
        body: bodyOf('1'),
        tries: 0,
        due_at: expect.any(Date),
      },
    ])
    expect(await declared()).toEqual([])
  })

  it.each(['failed', 'expired'] as const)('is dropped once its payment has %s', async (state) => {
    await submit('1', bodyOf('1'))
    await finishSettlement(store.db, ending('1', { state, ledger: undefined }))
    expect([await declared(), await handedOver()]).toEqual([[], []])
  })

  it('is stored, handed over and dropped with many others, in one statement each', async () => {
    const nonces = ['0', '1', '2']
    for (const nonce of nonces) await claimWithChannel(store.db, claimRequest(nonce))
    const records = recordBatch(store.db)
    await Promise.all(
      nonces.map((nonce) => {
        const declaration = nonce === '1' ? undefined : bodyOf(nonce)
        return records.write(recording(nonce, { channel: `GCHANNEL${nonce}`, declaration }))
      }),
    )
    expect(await declared()).toEqual([bodyOf('0'), bodyOf('2')])
    const finishes = finishBatch(store.db)
    await Promise.all(
      nonces.map((nonce) => {
        const state = nonce === '2' ? 'failed' : 'succeeded'
        return finishes.write(ending(nonce, { state }))
      }),
    )
    expect([await declared(), await handedOver()]).toEqual([[], [bodyOf('0')]])
  })

  it('ends its payment while the catalog takes no declarations, and is handed over later', async () => {
    const statement = (text: string) => sql.raw(text).execute(store.db)
    await statement('alter table catalog_outbox add constraint broken check (false) not valid')
    for (const nonce of ['1', '2']) await submit(nonce, bodyOf(nonce))
    await finishSettlement(store.db, ending('1'))
    expect((await findSettlement(store.db, keyOf('1')))?.state).toBe('succeeded')
    expect([await declared(), await handedOver()]).toEqual([[bodyOf('1'), bodyOf('2')], []])
    await statement('alter table catalog_outbox drop constraint broken')
    expect(await handOverLeft(store.db)).toBe(1)
    expect([await declared(), await handedOver()]).toEqual([[bodyOf('2')], [bodyOf('1')]])
    expect(await handOverLeft(store.db)).toBe(0)
  })

  it('ends its payment while a transaction has the outbox locked', async () => {
    await submit('1', bodyOf('1'))
    await store.db.transaction().execute(async (other) => {
      await sql`lock table catalog_outbox in access exclusive mode`.execute(other)
      await finishSettlement(store.db, ending('1'))
      expect((await findSettlement(store.db, keyOf('1')))?.state).toBe('succeeded')
    })
    expect(await handOverLeft(store.db)).toBe(1)
    expect(await handedOver()).toEqual([bodyOf('1')])
  })

  it('is handed over once, however many processes finish the payment', async () => {
    await submit('1', bodyOf('1'))
    const ends = Array.from({ length: 4 }, () => finishSettlement(store.db, ending('1')))
    expect((await Promise.all(ends)).filter(({ isNew }) => isNew)).toHaveLength(1)
    await finishSettlement(store.db, ending('1'))
    expect(await handedOver()).toEqual([bodyOf('1')])
  })

  it('is handed over when an administrator resolves the payment as succeeded', async () => {
    for (const nonce of ['1', '2']) {
      await submit(nonce, bodyOf(nonce))
      await flagUnresolvable(store.db, keyOf(nonce), 'not retained', 60_000)
    }
    const resolve = async (nonce: string, as: 'succeeded' | 'failed') => {
      const settlement = await findSettlement(store.db, keyOf(nonce))
      if (!settlement) throw new Error('it is not stored')
      const found = { as, ledger: 4_294_967_296, feeCharged: asStroops(1n) }
      await resolveSettlement(store, settlement, found)
    }
    await resolve('1', 'succeeded')
    await resolve('2', 'failed')
    expect([await declared(), await handedOver()]).toEqual([[], [bodyOf('1')]])
  })

  it('survives a refused attempt, and is handed over when its transaction landed after all', async () => {
    await submit('1', bodyOf('1'))
    await refuse('1', 1)
    expect([await declared(), await handedOver()]).toEqual([[bodyOf('1')], []])
    await landed('1', 1)
    expect([await declared(), await handedOver()]).toEqual([[], [bodyOf('1')]])
  })

  it('survives a claim that was released after a refused attempt', async () => {
    await submit('1', bodyOf('1'))
    await refuse('1', 1)
    expect(await claimWithChannel(store.db, claimRequest('1'))).toMatchObject({ attempt: 3 })
    await releaseClaim(store.db, fence('1', { attempt: 3 }))
    await landed('1', 1)
    expect(await handedOver()).toEqual([bodyOf('1')])
  })

  it('is replaced by that of a later attempt', async () => {
    await submit('1', bodyOf('1'))
    await refuse('1', 1)
    await submit('1', bodyOf('other'), 3)
    await finishSettlement(store.db, ending('1', { attempt: 3 }))
    expect([await declared(), await handedOver()]).toEqual([[], [bodyOf('other')]])
  })

  it.each(['alone', 'together'])(
    'is dropped when a later attempt, recorded %s, declares nothing',
    async (how) => {
      for (const nonce of ['1', '2']) {
        await submit(nonce, bodyOf(nonce))
        await refuse(nonce, 1)
      }
      if (how === 'alone') {
        for (const nonce of ['1', '2']) await submit(nonce, undefined, 3)
      } else {
        const records = recordBatch(store.db)
        const recordings = []
        for (const nonce of ['1', '2']) {
          const { account } = channelOf(await claimWithChannel(store.db, claimRequest(nonce)))
          recordings.push(recording(nonce, { channel: account, attempt: 3 }))
        }
        const recorded = recordings.map((one) => records.write(one))
        expect(await Promise.all(recorded)).toEqual([true, true])
      }
      expect(await declared()).toEqual([])
      for (const nonce of ['1', '2']) {
        await finishSettlement(store.db, ending(nonce, { attempt: 3 }))
      }
      expect(await handedOver()).toEqual([])
    },
  )

  it('is not stored when the claim is lost', async () => {
    await claimWithChannel(store.db, claimRequest('1'))
    const declaration = bodyOf('1')
    expect(await recordEnvelope(store.db, recording('1', { owner: 'two', declaration }))).toBe(
      false,
    )
    expect(await declared()).toEqual([])
  })

  it('holds any text, alone and together with others', async () => {
    const hostile = JSON.stringify({ a: '\0', b: '\ud800', c: '\udc00\ud800', d: '日本 \u202e' })
    for (const nonce of ['0', '1']) await claimWithChannel(store.db, claimRequest(nonce))
    const records = recordBatch(store.db)
    const many = ['0', '1'].map((nonce) =>
      recording(nonce, { channel: `GCHANNEL${nonce}`, declaration: hostile }),
    )
    expect(await Promise.all(many.map((one) => records.write(one)))).toEqual([true, true])
    await submit('2', hostile)
    const finishes = finishBatch(store.db)
    await Promise.all(['0', '1', '2'].map((nonce) => finishes.write(ending(nonce))))
    expect(await handedOver()).toEqual([hostile, hostile, hostile])
  })

  it('waits in the outbox even when retention deletes the settlement', async () => {
    await submit('1', bodyOf('1'))
    await submit('2', bodyOf('2'))
    await refuse('2', 1)
    await finishSettlement(store.db, ending('1'))
    await sql`alter table settlements disable trigger recorded_rows_never_change`.execute(store.db)
    await sql`update settlements set claimed_at = claimed_at - interval '2 days',
      claim_expires_at = claim_expires_at - interval '2 days',
      finished_at = finished_at - interval '2 days', expiration_ledger = 1`.execute(store.db)
    await sql`alter table settlements enable trigger recorded_rows_never_change`.execute(store.db)
    const old = { network, keptDays: 1, latestLedger: 1_000_000 } as const
    expect(await deleteOldSettlements(store.db, old)).toBe(2)
    expect([await declared(), await handedOver()]).toEqual([[], [bodyOf('1')]])
  })
})
