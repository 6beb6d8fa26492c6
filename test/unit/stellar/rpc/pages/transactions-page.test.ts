import {
  Account,
  Asset,
  Keypair,
  Networks,
  Operation,
  TransactionBuilder,
} from '@stellar/stellar-sdk'
import { describe, expect, test } from 'vitest'
import type { PageStart } from '../../../../../src/stellar/rpc/pages/transaction-position.ts'
import { cursorAfter } from '../../../../../src/stellar/rpc/pages/transaction-position.ts'
import { transactionsPage } from '../../../../../src/stellar/rpc/pages/transactions-page.ts'
import { RpcError } from '../../../../../src/stellar/rpc/rpc.ts'
import type { CallRpc } from '../../../../../src/stellar/rpc/transport/json-rpc.ts'

const HASH = 'ab'.repeat(32)
const closeTime = (ledger: number) => 1_000 + 5 * ledger

const listed = (ledger: number, applicationOrder: number, members: object = {}) => ({
  status: 'SUCCESS',
  txHash: HASH,
  ledger,
  applicationOrder,
  createdAt: closeTime(ledger),
  ...members,
})

const range = { latestLedger: 12, oldestLedger: 5 }
const closeTimes = {
  latestLedgerCloseTimestamp: closeTime(12),
  oldestLedgerCloseTimestamp: closeTime(5),
}

const cursor = (ledger: number, applicationOrder: number): PageStart & { cursor: string } => ({
  cursor: cursorAfter({ ledger, applicationOrder }),
})

/** An endpoint that answers with one page, or an error, and says what it was asked. */
function endpoint(page: object | RpcError) {
  const asked: unknown[] = []
  const call: CallRpc = async (method, params, result) => {
    asked.push([method, params])
    if (method === 'getNetwork') return result.parse({ passphrase: Networks.TESTNET })
    if (method === 'getTransaction') {
      const closing = { latestLedgerCloseTime: closeTime(12), oldestLedgerCloseTime: closeTime(5) }
      return result.parse({ status: 'NOT_FOUND', ...range, ...closing })
    }
    if (page instanceof RpcError) throw page
    try {
      return result.parse({ ...range, ...closeTimes, transactions: [], ...page })
    } catch (cause) {
      throw new RpcError('unreadable', method, 'schema', { cause })
    }
  }
  const read = (start: PageStart, limit = 3) => transactionsPage(call, start, limit)
  return { asked, read }
}

describe('a page of transactions', () => {
  test('is asked for with a cursor, so that a ledger that does not exist yet is no error', async () => {
    const { asked, read } = endpoint({ ...cursor(12, 0), transactions: [] })
    await read({ startLedger: 9 })
    await read(cursor(9, 4))
    expect(asked).toEqual([
      ['getTransactions', { pagination: { limit: 3, ...cursor(9, 0) } }],
      ['getTransactions', { pagination: { limit: 3, ...cursor(9, 4) } }],
    ])
  })

  test('keeps all members of its transactions', async () => {
    const members = { envelopeXdr: 'AAAA', events: { contractEventsXdr: [] } }
    const transactions = [listed(9, 1, members)]
    const page = await endpoint({ transactions, ...cursor(12, 0) }).read({ startLedger: 9 })
    expect(page.transactions).toEqual([{ ...listed(9, 1), raw: listed(9, 1, members) }])
    expect(page).toMatchObject({ ...range, latestCloseTime: closeTime(12) })
  })

  test.each<{ when: string; from: PageStart; page: object; next: PageStart; through: number }>([
    {
      when: 'full',
      from: { startLedger: 8 },
      page: { transactions: [listed(9, 1), listed(9, 2), listed(10, 1)], ...cursor(10, 1) },
      next: cursor(10, 1),
      through: 9,
    },
    {
      when: 'full, the later part of a ledger',
      from: cursor(9, 1),
      page: { transactions: [2, 3, 4].map((order) => listed(9, order)), ...cursor(9, 4) },
      next: cursor(9, 4),
      through: 8,
    },
    {
      when: 'the last one',
      from: cursor(9, 1),
      page: { transactions: [listed(9, 2)], ...cursor(12, 0) },
      next: cursor(13, 0),
      through: 12,
    },
    {
      when: 'empty, with the cursor that Stellar RPC answers within the latest ledger',
      from: cursor(12, 7),
      page: cursor(12, 0),
      next: cursor(13, 0),
      through: 12,
    },
    {
      when: 'empty, with the cursor that Stellar RPC answers after the latest ledger',
      from: cursor(13, 0),
      page: { cursor: '0' },
      next: cursor(13, 0),
      through: 12,
    },
    {
      when: 'short, of an endpoint that searches a few ledgers only',
      from: { startLedger: 6 },
      page: { transactions: [listed(6, 1)], ...cursor(8, 0) },
      next: cursor(8, 0),
      through: 7,
    },
    {
      when: 'of older ledgers than the endpoint itself retains',
      from: { startLedger: 3 },
      page: { transactions: [listed(4, 1)], ...cursor(12, 0) },
      next: cursor(13, 0),
      through: 12,
    },
  ])('that is $when says where to go on', async ({ from, page, next, through }) => {
    const answer = await endpoint(page).read(from)
    expect(answer).toMatchObject({ ...next, completeThrough: through })
  })

  const end = cursor(12, 0)
  test.each([
    { when: 'a ledger before its start', transactions: [listed(8, 1)], ...end },
    { when: 'a transaction before its start', transactions: [listed(9, 1)], ...end },
    { when: 'a gap after its start', transactions: [listed(9, 4)], ...end },
    { when: 'a gap in a ledger', transactions: [listed(10, 1), listed(10, 3)], ...end },
    { when: 'a ledger without its first transaction', transactions: [listed(10, 2)], ...end },
    { when: 'the same transaction twice', transactions: [listed(10, 1), listed(10, 1)], ...end },
    { when: 'ledgers out of order', transactions: [listed(11, 1), listed(10, 1)], ...end },
    { when: 'a ledger after its latest one', transactions: [listed(13, 1)], ...end },
    {
      when: 'a ledger with two times',
      transactions: [listed(10, 1), listed(10, 2, { createdAt: 7 })],
      ...end,
    },
    {
      when: 'ledgers whose times go back',
      transactions: [listed(10, 1), listed(11, 1, { createdAt: 7 })],
      ...end,
    },
    {
      when: 'more than was asked for',
      transactions: [1, 2, 3, 4].map((order) => listed(10, order)),
      ...end,
    },
    {
      when: 'a transaction that closed later than its latest ledger',
      transactions: [listed(10, 1, { createdAt: closeTime(12) + 1 })],
      ...end,
    },
    { when: 'a cursor after its latest ledger', ...cursor(13, 0) },
    { when: 'a cursor that is none', cursor: 'next' },
    { when: 'nothing, with ledgers left', ...cursor(9, 2) },
    { when: 'ranges without a ledger', oldestLedger: 13, ...end },
    { when: 'a hash that is none', transactions: [listed(10, 1, { txHash: 'x' })], ...end },
    {
      when: 'neither hash nor envelope',
      transactions: [listed(10, 1, { txHash: undefined })],
      ...end,
    },
  ])('with $when is unreadable', async ({ when: _, ...page }) => {
    await expect(endpoint(page).read(cursor(9, 2))).rejects.toMatchObject({ kind: 'unreadable' })
  })

  const rejection = new RpcError('rejected', 'getTransactions', 'no', { wasRefused: true })
  test('whose start was rejected is not retained, empty, or rejected, by the ledgers of the endpoint', async () => {
    const { read } = endpoint(rejection)
    await expect(read({ startLedger: 4 })).rejects.toMatchObject({ kind: 'not_retained' })
    await expect(read({ startLedger: 5 })).rejects.toBe(rejection)
    expect(await read({ startLedger: 13 })).toMatchObject({
      transactions: [],
      completeThrough: 12,
      ...cursor(13, 0),
      ...range,
    })
  })

  test('that begins later than its start is not retained', async () => {
    const { read } = endpoint({ transactions: [listed(5, 1)], ...end })
    await expect(read({ startLedger: 4 })).rejects.toMatchObject({ kind: 'not_retained' })
  })

  test('has the hash of each envelope where the endpoint leaves it out', async () => {
    const { keypair, tx } = payment()
    const bump = TransactionBuilder.buildFeeBumpTransaction(keypair, '200', tx, Networks.TESTNET)
    bump.sign(keypair)
    const transactions = [tx, bump].map((each, index) => ({
      ...listed(9, index + 1, { envelopeXdr: each.toXDR() }),
      txHash: undefined,
    }))
    const page = await endpoint({ transactions, ...end }).read({ startLedger: 9 })
    const hashes = [tx, bump].map((each) => Buffer.from(each.hash()).toString('hex'))
    expect(page.transactions.map(({ txHash }) => txHash)).toEqual(hashes)
  })
})

function payment() {
  const keypair = Keypair.random()
  const account = new Account(keypair.publicKey(), '1')
  const tx = new TransactionBuilder(account, { fee: '100', networkPassphrase: Networks.TESTNET })
    .addOperation(
      Operation.payment({ destination: keypair.publicKey(), asset: Asset.native(), amount: '1' }),
    )
    .setTimeout(0)
    .build()
  tx.sign(keypair)
  return { keypair, tx }
}
