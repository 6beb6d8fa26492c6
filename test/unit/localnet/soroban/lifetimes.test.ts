/** Simulated extensions and restorations, and what the host makes of them. What a ledger makes of them is in the table. */
import { Asset, xdr } from '@stellar/stellar-sdk'
import { beforeEach, expect, test } from 'vitest'
import { instanceKey } from '../../../../src/localnet/genesis/upto-contract.ts'
import type { TtlOperation } from '../../../../src/localnet/soroban/ttl.ts'
import { deployAsset, source } from './invocation.ts'
import { passphrase, TestLedger } from './test-ledger.ts'

let ledger: TestLedger
let key: Uint8Array
beforeEach(async () => {
  ledger = new TestLedger(source)
  await deployAsset(ledger, Asset.native())
  key = instanceKey(Asset.native().contractId(passphrase))
})

const born = 1000 + 120_960 - 1
const extend: TtlOperation = { kind: 'extend', extendTo: 500_000 }
const restore: TtlOperation = { kind: 'restore' }

const simulateTtl = (operation: TtlOperation) =>
  xdr.SorobanTransactionData.fromXdr(
    ledger.host.simulateTtl({ ledger: ledger.context, operation, keys: [key] }),
  )

test.each([
  {
    what: 'extends a live entry',
    operation: extend,
    change: { oldLiveUntil: born, newLiveUntil: 501_000 },
  },
  {
    what: 'gives an expired entry the lifetime of a new one',
    operation: restore,
    liveUntil: 999,
    change: { oldLiveUntil: 0, newLiveUntil: born },
  },
])('a simulated operation $what, for rent within its fee', ({ operation, liveUntil, change }) => {
  if (liveUntil) ledger.setLiveUntil(key, liveUntil)
  const { resources, resourceFee } = simulateTtl(operation)
  const { readOnly, readWrite } = resources.footprint
  expect([readOnly.length, readWrite.length]).toEqual(operation === extend ? [1, 0] : [0, 1])
  const output = ledger.host.applyTtl({
    ledger: ledger.context,
    operation,
    resources: resources.toXdr(),
    transactionSize: 400,
  })
  if (output.outcome !== 'success') throw new Error(output.outcome)
  expect(output.changes).toEqual([{ key, ...change }])
  expect(output.rentFee).toBeGreaterThan(0n)
  expect(output.rentFee + output.nonRefundableFee).toBeLessThanOrEqual(resourceFee)
})

test('a simulation refuses to extend an expired entry', () => {
  ledger.setLiveUntil(key, 999)
  expect(() => simulateTtl(extend)).toThrow(/must be restored before/)
})
