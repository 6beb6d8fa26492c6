import { Asset, xdr } from '@stellar/stellar-sdk'
import { beforeEach, describe, expect, test } from 'vitest'
import type { InvokeInput } from '../../../../src/localnet/soroban/invoke.ts'
import {
  address,
  call,
  deployAsset,
  deployFixture,
  expectSuccess,
  i128,
  prepare,
  run,
  simulate,
  source,
  transactionData,
  u32,
} from './invocation.ts'
import { keypair, TestLedger } from './test-ledger.ts'

const holder = keypair('holder')
let ledger: TestLedger
let token: string
beforeEach(async () => {
  ledger = new TestLedger()
  ledger.createAccount(source)
  ledger.createAccount(holder)
  token = await deployFixture(ledger, 'trick-token', u32(0), xdr.ScVal.scvVoid())
})

const mint = () => call(token, 'mint', address(holder.publicKey()), i128(5n))

const declare = (
  input: InvokeInput,
  change: Partial<Record<'instructions' | 'writeBytes' | 'diskReadBytes', number>>,
): InvokeInput => {
  const { footprint, instructions, writeBytes, diskReadBytes } = xdr.SorobanResources.fromXdr(
    input.resources,
  )
  const resources = { footprint, instructions, writeBytes, diskReadBytes, ...change }
  return { ...input, resources: new xdr.SorobanResources(resources).toXdr() }
}

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
  test('that declares too few instructions exceeds its resources', async () => {
    const input = declare(await prepare(ledger, mint()), { instructions: 10_000 })
    const output = ledger.host.invoke(input)
    expect(output).toMatchObject({
      outcome: 'resource_limit_exceeded',
      exceeded: { resource: 'instructions', allowed: 10_000n },
      failure: { type: 'budget' },
    })
    expect(output.instructions).toBeGreaterThan(10_000n)
  })

  test('that declares too few written bytes exceeds its resources', async () => {
    const input = declare(await prepare(ledger, mint()), { writeBytes: 10 })
    expect(ledger.host.invoke(input)).toMatchObject({
      outcome: 'resource_limit_exceeded',
      exceeded: { resource: 'write_bytes', allowed: 10n },
    })
  })

  test('that declares too few bytes read from disk exceeds its resources', async () => {
    const native = await deployAsset(ledger, Asset.native())
    const balance = call(native, 'balance', address(holder.publicKey()))
    const input = await prepare(ledger, balance)
    expectSuccess(ledger.host.invoke(input))
    expect(ledger.host.invoke(declare(input, { diskReadBytes: 10 }))).toMatchObject({
      outcome: 'resource_limit_exceeded',
      exceeded: { resource: 'disk_read_bytes', allowed: 10n },
    })
  })

  test('that omits a written entry from its footprint is trapped', async () => {
    const input = await prepare(ledger, mint())
    const { footprint, ...rest } = xdr.SorobanResources.fromXdr(input.resources)
    const { readOnly } = footprint
    const resources = new xdr.SorobanResources({
      ...rest,
      footprint: new xdr.LedgerFootprint({ readOnly, readWrite: [] }),
    })
    expect(ledger.host.invoke({ ...input, resources: resources.toXdr() })).toMatchObject({
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
    expect(
      ledger.host.invoke({ ...input, hostFunction: call(token, 'nope').toXdr() }),
    ).toMatchObject({
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
    const transfer = call(
      native,
      'transfer',
      address(holder.publicKey()),
      address(source.publicKey()),
      i128(1n),
    )
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
