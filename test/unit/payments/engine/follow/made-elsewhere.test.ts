import { expect, test } from 'vitest'
import type { SubmittedSettlement } from '../../../../../src/payments/engine/follow/final-result.ts'
import { findMadeElsewhere } from '../../../../../src/payments/engine/follow/made-elsewhere.ts'
import type { Store } from '../../../../../src/platform/database/open.ts'
import {
  type MadeTransfer,
  RpcError,
  type RpcErrorKind,
  type TransferQuery,
} from '../../../../../src/stellar/rpc/rpc.ts'

const submitted = {
  key: { network: 'stellar:testnet', payer: 'G', nonce: '7' },
  attempt: 1,
  facts: { scheme: 'exact', asset: 'C' },
  recorded: { envelopeXdr: '', recordedAtLedger: 5 },
} as unknown as SubmittedSettlement

const find = (
  madeTransfer: (query: TransferQuery) => Promise<MadeTransfer>,
  progress: Pick<SubmittedSettlement, 'searchedThrough' | 'maxLedger'> = {},
) => {
  const rpc = { madeTransfer, transaction: () => Promise.reject(new Error('not asked')) }
  const { signal } = new AbortController()
  const expired = { kind: 'expired', because: 'its time is over' } as const
  return findMadeElsewhere({} as Store, rpc, { ...submitted, ...progress }, expired, signal)
}
const search = (kind: RpcErrorKind) =>
  find(() => Promise.reject(new RpcError(kind, 'getEvents', 'ledgers are missing')))

test('what the endpoints retain no longer stays undecidable, and is not searched without end', async () => {
  expect(await search('not_retained')).toEqual({
    kind: 'undecidable',
    because: expect.stringContaining('ledgers are missing'),
  })
})

test('what they do not have yet is asked again', async () => {
  await expect(search('lagging')).rejects.toThrow('ledgers are missing')
})

test('a search goes on after the ledgers that were searched, up to the last one of the authorization', async () => {
  const asked: TransferQuery[] = []
  const unfinished = { state: 'unfinished', searchedThrough: 9, latestLedger: 30 } as const
  const madeTransfer = (query: TransferQuery) => {
    asked.push(query)
    return Promise.resolve(unfinished)
  }
  const progress = await find(madeTransfer)
  expect(progress).toEqual({ kind: 'unfinished', searchedThrough: 9 })
  await find(madeTransfer, { searchedThrough: 9, maxLedger: 21 })
  expect(asked).toMatchObject([{ afterLedger: 5 }, { afterLedger: 9, validThrough: 20 }])
})
