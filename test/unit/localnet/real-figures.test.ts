/**
 * Figures of the real network, and the same figures here. Each names its source; the network is testnet
 * under protocol 29 where nothing else stands.
 */
import { Address, xdr } from '@stellar/stellar-sdk'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { networkLimits } from '../../../src/localnet/genesis/network-limits.ts'
import type { Localnet } from '../../../src/localnet/network.ts'
import { type DeclaredResources, eventsFee, nonRefundableFee } from './core-fees.ts'
import { openNetwork } from './harness.ts'

let net: Localnet
beforeAll(() => {
  net = openNetwork().net
})

const contractKey = (index: number): xdr.LedgerKey =>
  xdr.LedgerKey.contractData(
    new xdr.LedgerKeyContractData({
      contract: Address.contract(Buffer.alloc(32, 1)).toScAddress(),
      key: xdr.ScVal.scvU32(index),
      durability: xdr.ContractDataDurability.persistent,
    }),
  )

const accountKey = (index: number): xdr.LedgerKey =>
  xdr.LedgerKey.account(
    new xdr.LedgerKeyAccount({
      accountId: xdr.PublicKey.publicKeyTypeEd25519(Buffer.alloc(32, index)),
    }),
  )

const keys = (count: number, first: number, keyOf = contractKey): xdr.LedgerKey[] =>
  Array.from({ length: count }, (_, index) => keyOf(first + index))

/** The fees of the network's host. */
function hostFee(resources: DeclaredResources, eventsSize = 0) {
  const { readOnly, readWrite, classic, instructions, diskReadBytes, writeBytes } = resources
  const { networkId } = net
  return net.host.resourceFee({
    ledger: { sequence: 100, closeTime: 1, networkId, baseReserve: 5_000_000 },
    resources: new xdr.SorobanResources({
      footprint: new xdr.LedgerFootprint({
        readOnly: [...keys(readOnly, 0), ...keys(classic, 0, accountKey)],
        readWrite: keys(readWrite, 1_000),
      }),
      ...{ instructions, diskReadBytes, writeBytes },
    }).toXdr(),
    restored: Array.from({ length: resources.restored }, (_, index) => index),
    isRestoration: resources.isRestoration,
    transactionSize: resources.size,
    eventsSize,
  })
}

const call = { classic: 0, restored: 0, isRestoration: false }

describe('the resource fee', () => {
  /**
   * `getTransaction` of testnet's RPC in October 2026, where `sorobanMeta` has the fees. The first one failed
   * with RESOURCE_LIMIT_EXCEEDED, so that it paid 26,607: the non-refundable fee and 100.
   */
  it.each([
    {
      hash: '5d6c1b20977771c87d14d90a823599be103df68aeb20a50f1d3a0821890cd0d9',
      ledger: 5_071_040,
      resources: {
        ...{ ...call, instructions: 2_495_275, diskReadBytes: 0, writeBytes: 1_232 },
        ...{ readOnly: 5, readWrite: 6, size: 1_724 },
      },
      nonRefundable: 26_507n,
      events: { size: 0, fee: 0n },
    },
    {
      hash: '44b989397006a5e0353d9e1ddba1dd3a0c46e109f8b914775e66d50bea16477b',
      ledger: 5_083_633,
      resources: {
        ...{ ...call, instructions: 2_900_638, diskReadBytes: 64, writeBytes: 1_674 },
        ...{ readOnly: 5, readWrite: 6, size: 2_060 },
      },
      nonRefundable: 28_662n,
      // The refundable fee of 2,521,416 without the rent of 2,518,427.
      events: { size: 612, fee: 2_989n },
    },
  ])('of testnet’s transaction $hash is the same here', (real) => {
    const fee = hostFee(real.resources, real.events.size)
    expect(fee).toEqual({ nonRefundable: real.nonRefundable, refundable: real.events.fee })
    expect(nonRefundableFee(real.resources)).toBe(real.nonRefundable)
  })

  it('is that of the settings for any resources', () => {
    const amount = (max: number) => fc.integer({ min: 0, max })
    const resources = fc
      .record({
        instructions: amount(400_000_000),
        diskReadBytes: amount(200_000),
        writeBytes: amount(132_096),
        readOnly: amount(40),
        readWrite: amount(40),
        classic: amount(5),
        restored: amount(40),
        isRestoration: fc.boolean(),
        size: amount(132_096),
      })
      .map((it) => ({ ...it, restored: Math.min(it.restored, it.readWrite) }))
    fc.assert(
      fc.property(resources, amount(16_384), (it, eventsSize) => {
        expect(hostFee(it, eventsSize)).toEqual({
          nonRefundable: nonRefundableFee(it),
          refundable: eventsFee(eventsSize),
        })
      }),
      { seed: 20_260_922, numRuns: 300 },
    )
  })

  it('of a restoration has 1,563 stroops for each key', () => {
    const restoration = {
      ...{ ...call, instructions: 0, diskReadBytes: 500, writeBytes: 500 },
      ...{ readOnly: 0, readWrite: 3, size: 400 },
    }
    const { nonRefundable } = hostFee(restoration)
    const restored = hostFee({ ...restoration, isRestoration: true }).nonRefundable
    expect(restored - nonRefundable).toBe(3n * 1_563n)
  })
})

describe("testnet's settings", () => {
  /** SLP-4, as voted for testnet and pubnet, and CAP-70 for timing; `stellar network settings`. */
  it('are those of a transaction', () => {
    const { testnet } = networkLimits
    expect(testnet).toMatchObject({
      contractMaxSizeBytes: 131_072,
      contractDataKeySizeBytes: 250,
      contractDataEntrySizeBytes: 65_536,
      compute: { txMaxInstructions: 400_000_000n, txMemoryLimit: 41_943_040 },
      ledgerCost: {
        txMaxDiskReadEntries: 200,
        txMaxDiskReadBytes: 200_000,
        txMaxWriteLedgerEntries: 200,
        txMaxWriteBytes: 132_096,
      },
      ledgerCostExt: { txMaxFootprintEntries: 400 },
      events: { txMaxContractEventsSizeBytes: 16_384 },
      bandwidth: { txMaxSizeBytes: 132_096 },
    })
  })

  it('are those of a ledger', () => {
    const { testnet } = networkLimits
    expect(testnet).toMatchObject({
      compute: { ledgerMaxInstructions: 580_000_000n },
      ledgerCost: {
        ledgerMaxDiskReadEntries: 1_000,
        ledgerMaxDiskReadBytes: 400_000,
        ledgerMaxWriteLedgerEntries: 1_000,
        ledgerMaxWriteBytes: 286_720,
      },
      bandwidth: { ledgerMaxTxsSizeBytes: 266_240 },
      executionLanes: { ledgerMaxTxCount: 2_000 },
      parallelCompute: { ledgerMaxDependentTxClusters: 2 },
      scpTiming: { ledgerTargetCloseTimeMilliseconds: 5_000 },
    })
  })

  it('have these lifetimes and rents', () => {
    const { stateArchival, ledgerCost } = networkLimits.testnet
    expect(stateArchival).toMatchObject({
      maxEntryTtl: 3_110_400,
      minPersistentTtl: 120_960,
      minTemporaryTtl: 720,
      persistentRentRateDenominator: 1_215n,
      tempRentRateDenominator: 2_430n,
    })
    expect(ledgerCost).toMatchObject({
      sorobanStateTargetSizeBytes: 4_000_000_000n,
      rentFee1KbSorobanStateSizeLow: -17_000n,
      rentFee1KbSorobanStateSizeHigh: 10_000n,
      sorobanStateRentFeeGrowthFactor: 5_000,
    })
  })
})

/** What a setting of the network has, for a cost type of the host. */
function costOf(name: string): { cpu: readonly bigint[]; memory: readonly bigint[] } {
  const { cpu, mem } = net.host.costParams()
  const read = (params: Uint8Array): readonly bigint[] => {
    // A list of an extension and two numbers each.
    const view = new DataView(params.buffer, params.byteOffset, params.byteLength)
    const at = 4 + xdr.ContractCostType.fromXdr(costType(name)).value * 20 + 4
    return [view.getBigInt64(at), view.getBigInt64(at + 8)]
  }
  return { cpu: read(cpu), memory: read(mem) }
}

function costType(name: string): Uint8Array {
  const found = Object.values(xdr.ContractCostType).find(
    (it) => it instanceof xdr.ContractCostType && it.name === name,
  )
  if (!(found instanceof xdr.ContractCostType)) throw new RangeError(`no cost type ${name}`)
  return found.toXdr()
}

describe('the cost parameters', () => {
  /**
   * CONFIG_SETTING_CONTRACT_COST_PARAMS_CPU_INSTRUCTIONS, constant and linear terms, as stellar-core's
   * NetworkConfig.cpp sets them when it upgrades the protocol.
   */
  it.each([
    { name: 'wasmInsnExec', cpu: [4n, 0n] },
    { name: 'memAlloc', cpu: [434n, 16n] },
    { name: 'memCpy', cpu: [42n, 16n] },
    { name: 'memCmp', cpu: [44n, 16n] },
    { name: 'dispatchHostFunction', cpu: [295n, 0n] },
    { name: 'visitObject', cpu: [60n, 0n] },
    { name: 'valSer', cpu: [221n, 26n] },
    { name: 'valDeser', cpu: [331n, 4_369n] },
    { name: 'computeSha256Hash', cpu: [3_636n, 7_013n] },
    { name: 'computeEd25519PubKey', cpu: [40_256n, 0n] },
    { name: 'verifyEd25519Sig', cpu: [377_551n, 4_059n] },
    { name: 'vmInstantiation', cpu: [417_482n, 45_712n] },
    { name: 'invokeVmFunction', cpu: [1_945n, 0n] },
    { name: 'computeKeccak256Hash', cpu: [6_481n, 5_943n] },
  ])('of $name are those of the network', ({ name, cpu }) => {
    expect(costOf(name).cpu).toEqual(cpu)
  })

  /** CONFIG_SETTING_CONTRACT_COST_PARAMS_MEMORY_BYTES of testnet. */
  it.each([
    { name: 'bls12381G2Msm', linear: 266_603n },
    { name: 'bls12381Pairing', linear: 9_340_474n },
    { name: 'bn254Pairing', linear: 6_232_546n },
  ])('have the memory of $name for each input', ({ name, linear }) => {
    expect(costOf(name).memory[1]).toBe(linear)
  })
})
