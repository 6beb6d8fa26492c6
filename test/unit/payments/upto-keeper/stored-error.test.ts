import { expect, test } from 'vitest'
import { sentenceOf } from '../../../../src/payments/upto-keeper/keep-contract.ts'
import { RpcError } from '../../../../src/stellar/rpc/rpc.ts'

test('what /health shows of an outage names no host, nor what an endpoint says', () => {
  const message = 'fetch failed: getaddrinfo ENOTFOUND rpc.internal.example'
  const shown = sentenceOf(new RpcError('transport', 'getLedgerEntries', message))
  expect(shown).toContain('getLedgerEntries')
  expect(shown).not.toMatch(/ENOTFOUND|internal/)
})
