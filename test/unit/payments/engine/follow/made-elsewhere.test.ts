import { expect, test } from 'vitest'
import type { SubmittedSettlement } from '../../../../../src/payments/engine/follow/final-result.ts'
import { findMadeElsewhere } from '../../../../../src/payments/engine/follow/made-elsewhere.ts'
import type { Store } from '../../../../../src/platform/database/open.ts'
import { RpcError, type RpcErrorKind } from '../../../../../src/stellar/rpc/rpc.ts'

const submitted = {
  key: { network: 'stellar:testnet', payer: 'G', nonce: '7' },
  attempt: 1,
  facts: { scheme: 'exact', asset: 'C' },
  recorded: { envelopeXdr: '', recordedAtLedger: 5 },
} as unknown as SubmittedSettlement

const search = (kind: RpcErrorKind) => {
  const rpc = {
    madeTransfer: () => Promise.reject(new RpcError(kind, 'getEvents', 'ledgers are missing')),
    transaction: () => Promise.reject(new Error('not asked')),
  }
  const { signal } = new AbortController()
  return findMadeElsewhere(
    {} as Store,
    rpc,
    submitted,
    { kind: 'expired', because: 'its time is over' },
    signal,
  )
}

test('what the endpoints retain no longer stays undecidable, and is not searched without end', async () => {
  expect(await search('not_retained')).toEqual({
    kind: 'undecidable',
    because: expect.stringContaining('ledgers are missing'),
  })
})

test('what they do not have yet is asked again', async () => {
  await expect(search('lagging')).rejects.toThrow('ledgers are missing')
})
