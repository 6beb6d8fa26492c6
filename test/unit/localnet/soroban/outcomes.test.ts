import { Asset, xdr } from '@stellar/stellar-sdk'
import { beforeEach, describe, expect, test } from 'vitest'
import type { InvokeInput } from '../../../../src/localnet/soroban/invoke.ts'
import {
  address,
  call,
  declare,
  deployAsset,
  deployFixture,
  expectSuccess,
  i128,
  prepare,
  run,
  simulate,
  source,
  transactionData,
  transferOf,
  u32,
} from './invocation.ts'
import { keypair, TestLedger } from './test-ledger.ts'

const holder = keypair('holder')
let ledger: TestLedger
let token: string
beforeEach(async () => {
  ledger = new TestLedger(source, holder)
  token = await deployFixture(ledger, 'trick-token', u32(0), xdr.ScVal.scvVoid())
})

const mint = () => call(token, 'mint', address(holder.publicKey()), i128(5n))

const footprintKey = (input: InvokeInput, type: xdr.LedgerKey['type']) => {
  const { footprint } = xdr.SorobanResources.fromXdr(input.resources)
  const key = [...footprint.readOnly, ...footprint.readWrite].find((key) => key.type === type)
  if (key === undefined) throw new Error(`no ${type} in the footprint`)
  return key.toXdr()
}

const isTemporary = (key: Uint8Array): boolean => {
  const decoded = xdr.LedgerKey.fromXdr(key)
  if (decoded.type !== 'contractData') return false
  return decoded.contractData.durability === xdr.ContractDataDurability.temporary
}

describe('an invocation', () => {
  test('that omits a written entry from its footprint is trapped', async () => {
    const input = await prepare(ledger, mint())
    const { readOnly } = xdr.SorobanResources.fromXdr(input.resources).footprint
    const footprint = new xdr.LedgerFootprint({ readOnly, readWrite: [] })
    expect(ledger.host.invoke(declare(input, { footprint }))).toMatchObject({
      outcome: 'trapped',
      failure: { type: 'storage' },
    })
  })

  test('costs the same resources whether it succeeds or fails', async () => {
    const input = await prepare(ledger, mint())
    const { nonRefundable, refundable } = ledger.host.resourceFee({
      ledger: input.ledger,
      resources: input.resources,
      transactionSize: input.transactionSize,
    })
    expect(ledger.host.invoke(input).nonRefundableFee).toBe(nonRefundable)
    const failing = { ...input, hostFunction: call(token, 'nope').toXdr() }
    expect(ledger.host.invoke(failing)).toMatchObject({
      outcome: 'trapped',
      nonRefundableFee: nonRefundable,
    })
    expect(refundable).toBe(0n)
  })
})

describe('an expired entry', () => {
  test.each(['contractCode', 'contractData'] as const)(
    '(%s) is archived unless restored',
    async (type) => {
      await run(ledger, mint())
      const input = await prepare(ledger, mint())
      const key = footprintKey(input, type)
      ledger.setLiveUntil(key, ledger.sequence - 1)
      expect(ledger.host.invoke(input)).toMatchObject({ outcome: 'entry_archived', key })

      const restoring = await prepare(ledger, mint())
      expect(restoring.restored).toHaveLength(1)
      const output = expectSuccess(ledger.host.invoke(restoring))
      const restored = output.changes.find((change) => Buffer.from(key).equals(change.key))
      expect(restored).toMatchObject({ oldLiveUntil: 0, newLiveUntil: ledger.sequence + 120_959 })
      expect(output.rentFee).toBeGreaterThan(0n)
    },
  )

  test('is named by a simulation in the transaction data', async () => {
    await run(ledger, mint())
    ledger.setLiveUntil(footprintKey(await prepare(ledger, mint()), 'contractCode'), 1)
    const output = simulate(ledger, mint())
    const { ext } = transactionData(output)
    if (ext.type !== 'resourceExt') throw new Error('nothing to restore')
    expect(output.restored).toEqual(ext.resourceExt.archivedSorobanEntries)
    expect(output.restored).toHaveLength(1)
  })

  test('that is temporary does not exist', async () => {
    const native = await deployAsset(ledger, Asset.native())
    const transfer = transferOf(native, holder, source, 1n)
    const input = await prepare(ledger, transfer, holder)
    const { changes } = expectSuccess(ledger.host.invoke(input))
    ledger.apply(changes)
    const nonce = changes.find(({ key }) => isTemporary(key))
    if (nonce === undefined) throw new Error('no nonce was written')
    expect(ledger.host.invoke(input)).toMatchObject({ outcome: 'trapped' })
    ledger.setLiveUntil(nonce.key, ledger.sequence - 1)
    expectSuccess(ledger.host.invoke(input))
  })
})
