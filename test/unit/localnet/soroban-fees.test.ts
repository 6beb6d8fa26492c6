/** What uploads, extensions and restorations cost, in stellar-core's numbers. */
import { readFileSync } from 'node:fs'
import {
  Address,
  type Keypair,
  Operation,
  SorobanDataBuilder,
  StrKey,
  xdr,
} from '@stellar/stellar-sdk'
import { beforeEach, describe, expect, it } from 'vitest'
import { usdc } from '../../../src/localnet/genesis-assets.ts'
import type { AppliedTransaction } from '../../../src/localnet/history.ts'
import type { Localnet } from '../../../src/localnet/network.ts'
import { archive } from '../../support/ledger-surgery.ts'
import {
  type DeclaredResources,
  eventsFee,
  nonRefundableFee,
  PER_DISK_READ,
  rentFee,
} from './core-fees.ts'
import {
  apply,
  balance,
  build,
  bytesOf,
  codes,
  feeCharged,
  fund,
  key,
  openNetwork,
  outcome,
  passphrase,
} from './harness.ts'
import { prepare } from './soroban-harness.ts'

const alice: Keypair = key(1)
const holder = StrKey.encodeContract(Buffer.alloc(32, 9))
/** Ledgers for which a new entry lives, its first included. */
const LIFETIME = 20
let net: Localnet

const balanceKey = xdr.LedgerKey.contractData(
  new xdr.LedgerKeyContractData({
    contract: Address.fromString(usdc.contractId(passphrase)).toScAddress(),
    key: xdr.ScVal.scvVec([xdr.ScVal.scvSymbol('Balance'), Address.fromString(holder).toScVal()]),
    durability: xdr.ContractDataDurability.persistent,
  }),
)

beforeEach(async () => {
  net = openNetwork({ entryTtls: { minPersistentTtl: LIFETIME } }).net
  await fund(net, [alice])
  const gift = net.faucet({ address: holder, asset: 'USDC', amount: 5n })
  await net.closeLedger()
  await gift
})

interface Fees {
  readonly nonRefundable: bigint
  readonly rent: bigint
  readonly events: bigint
}

function feesOf({ resultMetaXdr }: AppliedTransaction): Fees {
  const meta = xdr.TransactionMeta.fromXdr(resultMetaXdr)
  const ext = meta.type === 'v4' ? meta.v4.sorobanMeta?.ext : undefined
  if (ext?.type !== 'v1') throw new Error('the meta has no fees')
  const { totalNonRefundableResourceFeeCharged, totalRefundableResourceFeeCharged } = ext.v1
  const { rentFeeCharged: rent } = ext.v1
  return {
    nonRefundable: totalNonRefundableResourceFeeCharged,
    rent,
    events: totalRefundableResourceFeeCharged - rent,
  }
}

/** What the transaction declared. */
function declaredBy({ envelopeXdr }: AppliedTransaction): DeclaredResources {
  const envelope = xdr.TransactionEnvelope.fromXdr(envelopeXdr)
  const tx = envelope.type === 'envelopeTypeTx' ? envelope.v1.tx : undefined
  if (tx?.ext.type !== 'sorobanData') throw new Error('no contract was called')
  const { resources, ext } = tx.ext.sorobanData
  const { footprint, instructions, diskReadBytes, writeBytes } = resources
  return {
    ...{ instructions, diskReadBytes, writeBytes },
    readOnly: footprint.readOnly.length,
    readWrite: footprint.readWrite.length,
    classic: 0,
    restored: ext.type === 'resourceExt' ? ext.resourceExt.archivedSorobanEntries.length : 0,
    isRestoration: tx.operations[0]?.body.type === 'restoreFootprint',
    size: envelopeXdr.length,
  }
}

async function paid(operation: xdr.Operation, sorobanData: xdr.SorobanTransactionData) {
  const before = balance(net, alice)
  const applied = await apply(
    net,
    build(net, { source: alice, operations: [operation], sorobanData }),
  )
  expect(codes(applied.resultXdr)[0]).toBe('txSuccess')
  expect(before - balance(net, alice)).toBe(feeCharged(applied.resultXdr))
  const fees = feesOf(applied)
  expect(feeCharged(applied.resultXdr)).toBe(100n + fees.nonRefundable + fees.rent + fees.events)
  expect(fees.nonRefundable).toBe(nonRefundableFee(declaredBy(applied)))
  return { applied, ...fees }
}

const entryOf = () => net.entry(balanceKey.toXdr())

const declared = (kind: 'setReadOnly' | 'setReadWrite', fee: bigint) =>
  new SorobanDataBuilder().setResources(0, 500, 500)[kind]([balanceKey]).setResourceFee(fee).build()

/** As if the ledgers of its lifetime had closed: the contract of an asset extends it by 30 days. */
const expire = () => archive(net, balanceKey.toXdr())

const restore = Operation.restoreFootprint({})

describe('the fee', () => {
  it('of an upload is that of its resources, its rent and its hash', async () => {
    const wasm = readFileSync(new URL('../../fixtures/contracts/bell/bell.wasm', import.meta.url))
    const { operation, data } = await prepare(net, Operation.uploadContractWasm({ wasm }), {
      source: alice,
    })
    const { applied, rent, events } = await paid(operation, data)
    expect(declaredBy(applied)).toMatchObject({ readOnly: 0, readWrite: 1, classic: 0 })
    expect(rent).toBeGreaterThan(0n)
    // The return value: type, length and 32 bytes.
    expect(events).toBe(eventsFee(40))
  })

  it('of an extension is that of its resources and the rent of more ledgers', async () => {
    const { entry = new Uint8Array(), liveUntil = 0 } = entryOf() ?? {}
    const extendTo = 3_000_000
    const { applied, rent, events } = await paid(
      Operation.extendFootprintTtl({ extendTo }),
      declared('setReadOnly', 90_000_000n),
    )
    expect(rent).toBe(rentFee(entry.length, applied.ledger + extendTo - liveUntil))
    expect(events).toBe(0n)
  })

  it('of a restoration has a read from disk, and the rent of a new entry', async () => {
    expire()
    const { entry = new Uint8Array() } = entryOf() ?? {}
    const { nonRefundable, rent } = await paid(restore, declared('setReadWrite', 10_000_000n))
    expect(rent).toBe(rentFee(entry.length, LIFETIME))
    expect(nonRefundable).toBeGreaterThan(BigInt(PER_DISK_READ + 2_500))
  })

  it('of a restoration must cover the read from disk', async () => {
    expire()
    const size = bytesOf(
      build(net, {
        source: alice,
        operations: [restore],
        sorobanData: declared('setReadWrite', 1n),
      }),
    ).length
    const least = nonRefundableFee({
      ...{ instructions: 0, diskReadBytes: 500, writeBytes: 500, size },
      ...{ readOnly: 0, readWrite: 1, classic: 0, restored: 0, isRestoration: true },
    })
    const restoring = (fee: bigint) =>
      build(net, {
        source: alice,
        operations: [restore],
        sorobanData: declared('setReadWrite', fee),
      })
    expect(await outcome(net, restoring(least - 1n))).toEqual(['ERROR', 'txSorobanInvalid'])
    expect(await outcome(net, restoring(least - BigInt(PER_DISK_READ)))).toEqual([
      'ERROR',
      'txSorobanInvalid',
    ])
    expect(await outcome(net, restoring(least))).toEqual([
      'txFailed',
      'restoreFootprintInsufficientRefundableFee',
    ])
  })

  it('of a call that restores entries has a read from disk for each', async () => {
    expire()
    const mint = Operation.invokeContractFunction({
      contract: usdc.contractId(passphrase),
      function: 'balance',
      args: [Address.fromString(holder).toScVal()],
    })
    const { operation, data } = await prepare(net, mint, { source: alice })
    const { applied } = await paid(operation, data)
    expect(declaredBy(applied)).toMatchObject({ restored: 1, isRestoration: false })
  })
})
