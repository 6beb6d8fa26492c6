import { describe, expect, test } from 'vitest'
import { envelopeHash } from '../../../../src/stellar/rpc/pages/envelope-hash.ts'
import type { RawTransaction } from '../../../../src/stellar/rpc/pages/transaction-pages.ts'
import { synthetic } from '../../../support/explorer/synthetic-transaction.ts'
import { noAnswer, PASSPHRASE } from './fake-endpoint.ts'
import { busy, poolOf } from './fake-pool.ts'

const start = { startLedger: 90 }

describe('a page of transactions for the explorer', () => {
  test('comes from the next endpoint when one fails, which payments use as before', async () => {
    const { pool, a, b, lines } = poolOf(2)
    await pool.identify()
    a.failures.set('page', [noAnswer(), noAnswer()])
    expect(await pool.transactionsPage(start, 200)).toMatchObject({ latestLedger: 100 })
    await pool.transactionsPage(start, 200)
    await pool.simulate('x')
    await pool.send('x')
    expect([a.work, b.work]).toEqual([
      ['page', 'simulate', 'send'],
      ['page', 'page'],
    ])
    expect(lines).toMatchObject([{ level: 'warn', endpoint: 'a' }])
  })

  test('delays neither simulations nor settlements by a Retry-After', async () => {
    const { pool, a } = poolOf(1)
    await pool.identify()
    a.failures.set('page', [busy(60_000)])
    await expect(pool.transactionsPage(start, 200)).rejects.toThrow('429')
    expect(await pool.simulate('x')).toMatchObject({ kind: 'ok' })
    expect(await pool.transactionsSince({ startLedger: 91 }, new Set('x'))).toMatchObject({
      throughLedger: 100,
    })
    await expect(pool.transactionsPage(start, 200)).rejects.toThrow('Retry-After')
    expect(a.work).toEqual(['page', 'simulate', 'since'])
  })

  test('waits while an endpoint has asked payments for a pause', async () => {
    const { pool, a } = poolOf(1)
    await pool.identify()
    a.failures.set('simulate', [busy(60_000)])
    await expect(pool.simulate('x')).rejects.toThrow('429')
    await expect(pool.transactionsPage(start, 200)).rejects.toThrow('Retry-After')
    expect(a.work).toEqual(['simulate'])
  })

  test('is asked for again after a pause that grows', async () => {
    const { pool, a, clock } = poolOf(1)
    await pool.identify()
    a.failures.set('page', [noAnswer(), noAnswer()])
    const page = pool.transactionsPage(start, 200)
    page.catch(() => undefined)
    await clock.advance(499)
    expect(a.work).toHaveLength(1)
    await clock.advance(501)
    expect(a.work).toHaveLength(2)
    await clock.advance(1_000)
    expect(await page).toMatchObject({ latestLedger: 100 })
  })

  test('does not come from an endpoint that lags', async () => {
    const { pool, a, b } = poolOf(2)
    await pool.latestLedger()
    await pool.identify()
    a.ledger = 99
    expect(await pool.transactionsPage(start, 200)).toMatchObject({ latestLedger: 100 })
    expect(b.work).toContain('page')
  })
})

test('a page with a hash that is not that of its envelope comes from another endpoint', async () => {
  const { pool, a, b, lines } = poolOf(2)
  await pool.identify()
  const listed = synthetic()
  a.listed = [{ ...listed, txHash: 'ab'.repeat(32) }]
  b.listed = [{ ...listed, txHash: envelopeHash(bytesOf(listed), PASSPHRASE) }]
  expect(await pool.transactionsPage(start, 200)).toMatchObject({ transactions: b.listed })
  expect(lines).toMatchObject([{ endpoint: 'a', reason: expect.stringContaining('ab'.repeat(32)) }])
})

test('a page whose latest ledger closes in the future comes from another endpoint', async () => {
  const { pool, a, b, lines, clock } = poolOf(2)
  await pool.identify()
  a.startedAt = clock.now() / 1_000 + 3_200
  expect(await pool.transactionsPage(start, 200)).toMatchObject({
    latestCloseTime: b.startedAt + 500,
  })
  expect(lines).toMatchObject([{ endpoint: 'a', reason: expect.stringContaining('after now') }])
})

const bytesOf = ({ raw }: RawTransaction) => Buffer.from(String(raw['envelopeXdr']), 'base64')
