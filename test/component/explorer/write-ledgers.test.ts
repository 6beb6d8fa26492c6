import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { writeLedgers } from '../../../src/explorer/store/ingest/write-ledgers.ts'
import { inTransaction } from '../../../src/platform/database/in-transaction.ts'
import type { Store } from '../../../src/platform/database/open.ts'
import { paymentRow } from '../../support/explorer/payment-rows.ts'
import { recount } from '../../support/explorer/recount.ts'
import { openEmptyStore } from '../platform/database/open-stores.ts'

const network = 'stellar:testnet'

describe('writing ledgers in the store', () => {
  let store: Store
  let epoch: { network: typeof network; id: number }
  beforeAll(async () => {
    store = await openEmptyStore()
    const row = await store.db
      .insertInto('explorer_epochs')
      .values({ network, started_at: new Date() })
      .returning('id')
      .executeTakeFirstOrThrow()
    epoch = { network, id: row.id }
  })
  afterAll(() => store.close())

  const write = (payments: Parameters<typeof writeLedgers>[2]) =>
    inTransaction(store.db, (tx) => writeLedgers(tx, epoch, payments))

  test('keeps every member of a payment, and counts it once however often it comes', async () => {
    const payment = paymentRow('full', {
      scheme: 'upto',
      amount: 10n ** 39n - 1n,
      ceiling: 10n ** 39n - 1n,
      classic: { code: 'USDC', issuer: 'GISSUER' },
      feeSource: 'GSPONSOR',
      sigExpirationLedger: 1_234,
      memo: 'thanks\0',
      muxedId: 2n ** 64n - 1n,
    })
    expect(await write([payment, payment])).toEqual([
      { scheme: 'upto', confidence: 'x402-shaped', payments: 1 },
    ])
    expect(await write([payment])).toEqual([])
    const { rows } =
      await sql`select p.amount, ceiling, memo, muxed_id, ledger, fee_charged, sig_expiration,
        encode(tx_hash, 'hex') as hash, s.address as seller, b.address as buyer, t.address as tx_source,
        f.address as fee_source, code, issuer, decimals, contract, position >> 32 as at
      from explorer_payments p join explorer_kinds k on k.id = p.kind join explorer_assets a on a.id = asset
      join explorer_addresses s on s.id = p.seller join explorer_addresses b on b.id = p.buyer
      join explorer_addresses t on t.id = p.tx_source join explorer_addresses f on f.id = p.fee_source`.execute(
        store.db,
      )
    expect(rows).toEqual([
      {
        amount: '9'.repeat(39),
        ceiling: '9'.repeat(39),
        memo: 'thanks',
        muxed_id: '18446744073709551615',
        ledger: 1_000,
        fee_charged: 100n,
        sig_expiration: 1_234,
        hash: payment.txHash,
        seller: 'GSELLER',
        buyer: 'GBUYER',
        tx_source: 'GCHANNEL',
        fee_source: 'GSPONSOR',
        code: 'USDC',
        issuer: 'GISSUER',
        decimals: 7,
        contract: 'CASSET',
        at: BigInt(payment.closedAt),
      },
    ])
    expect(await recount(store.db)).toEqual([])
  })

  test('counts a transaction once in an epoch, whatever close time an endpoint gives for it', async () => {
    const payment = paymentRow('twice')
    await write([payment])
    const others = [payment.closedAt - 1, payment.closedAt + 40 * 86_400]
    for (const closedAt of others) expect(await write([{ ...payment, closedAt }])).toEqual([])
    const { id } = await store.db
      .insertInto('explorer_epochs')
      .values({ network, started_at: new Date(0) })
      .returning('id')
      .executeTakeFirstOrThrow()
    const replayed = await inTransaction(store.db, (tx) =>
      writeLedgers(tx, { network, id }, [{ ...payment, closedAt: payment.closedAt + 9 }]),
    )
    expect(replayed).toMatchObject([{ payments: 1 }])
    expect(await recount(store.db)).toEqual([])
  })
})
