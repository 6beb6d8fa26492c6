import { Asset, xdr } from '@stellar/stellar-sdk'
import { beforeEach, describe, expect, test } from 'vitest'
import type { TtlOperation } from '../../../../src/localnet/soroban/ttl.ts'
import { instanceKey } from '../../../../src/localnet/upto-contract.ts'
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

const applyTtl = (operation: TtlOperation, resources: xdr.SorobanResources) =>
  ledger.host.applyTtl({
    ledger: ledger.context,
    operation,
    resources: resources.toXdr(),
    transactionSize: 400,
  })

describe('extending', () => {
  test('extends a live entry, for rent within the simulated fee', () => {
    const { resources, resourceFee } = simulateTtl(extend)
    expect(resources.footprint.readOnly).toHaveLength(1)
    const output = applyTtl(extend, resources)
    if (output.outcome !== 'success') throw new Error(output.outcome)
    expect(output.changes).toEqual([{ key, oldLiveUntil: born, newLiveUntil: 501_000 }])
    expect(output.rentFee).toBeGreaterThan(0n)
    expect(output.rentFee + output.nonRefundableFee).toBeLessThanOrEqual(resourceFee)
  })

  test.each([
    { what: 'one that lives long enough', liveUntil: 600_000 },
    { what: 'an expired one', liveUntil: 999 },
  ])('skips $what', ({ liveUntil }) => {
    const { resources } = simulateTtl(extend)
    ledger.setLiveUntil(key, liveUntil)
    expect(applyTtl(extend, resources)).toMatchObject({
      outcome: 'success',
      changes: [],
      rentFee: 0n,
    })
  })

  test('is refused by simulation for an expired entry', () => {
    ledger.setLiveUntil(key, 999)
    expect(() => simulateTtl(extend)).toThrow(/must be restored before/)
  })
})

describe('restoring', () => {
  test('gives an expired entry the lifetime of a new one', () => {
    ledger.setLiveUntil(key, 999)
    const { resources, resourceFee } = simulateTtl(restore)
    const output = applyTtl(restore, resources)
    if (output.outcome !== 'success') throw new Error(output.outcome)
    expect(output.changes).toEqual([{ key, oldLiveUntil: 0, newLiveUntil: born }])
    expect(output.rentFee + output.nonRefundableFee).toBeLessThanOrEqual(resourceFee)
  })

  test('skips a live entry', () => {
    ledger.setLiveUntil(key, 999)
    const { resources } = simulateTtl(restore)
    ledger.setLiveUntil(key, 5000)
    expect(applyTtl(restore, resources)).toMatchObject({ outcome: 'success', changes: [] })
  })

  test('exceeds its resources when it reads more than declared', () => {
    ledger.setLiveUntil(key, 999)
    const { resources: needed } = simulateTtl(restore)
    const resources = new xdr.SorobanResources({ ...needed, diskReadBytes: 8 })
    expect(applyTtl(restore, resources)).toMatchObject({
      outcome: 'resource_limit_exceeded',
      exceeded: { resource: 'disk_read_bytes', allowed: 8n },
    })
  })
})
