import { xdr } from '@stellar/stellar-sdk'
import { expect, test } from 'vitest'
import { transactionsSince } from '../../../../../src/stellar/rpc/pages/transactions-since.ts'
import type { CallRpc } from '../../../../../src/stellar/rpc/transport/json-rpc.ts'

const resultXdr = new xdr.TransactionResult({
  feeCharged: 100n,
  result: xdr.TransactionResultResult.txSuccess([]),
  ext: xdr.TransactionResultExt.v0(),
}).toXdr('base64')

const listed = (txHash: string, ledger: number) => ({
  ...{ status: 'SUCCESS', txHash, ledger, createdAt: 1_000, resultXdr },
})

/** An endpoint whose page has so many transactions, the last one in ledger 12; records what it was asked for. */
function endpoint(transactions: number) {
  const asked: unknown[] = []
  const call: CallRpc = async (_method, params, schema) => {
    asked.push(params)
    return schema.parse({
      transactions: Array.from({ length: transactions }, (_, n) =>
        listed(`hash ${n}`, n < 150 ? 11 : 12),
      ),
      latestLedger: 12,
      latestLedgerCloseTimestamp: 1_010,
      oldestLedger: 1,
      oldestLedgerCloseTimestamp: 900,
      cursor: 'after the page',
    })
  }
  return { asked, call }
}

test('of a full page the last ledger may have more transactions: they are on the next page', async () => {
  const { asked, call } = endpoint(200)
  const page = await transactionsSince(call, { startLedger: 11 }, new Set(['hash 3', 'other']))
  expect(page).toMatchObject({ throughLedger: 11, next: { cursor: 'after the page' } })
  expect([...page.found.keys()]).toEqual(['hash 3'])
  await transactionsSince(call, { cursor: 'after the page' }, new Set(['other']))
  expect(asked).toEqual([
    { startLedger: 11, pagination: { limit: 200 } },
    { pagination: { limit: 200, cursor: 'after the page' } },
  ])
})

test('a page that is not full is the last one', async () => {
  const page = await transactionsSince(endpoint(199).call, { startLedger: 11 }, new Set(['hash 3']))
  expect(page.throughLedger).toBe(12)
  expect(page.next).toBeUndefined()
})
