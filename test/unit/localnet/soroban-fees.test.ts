/** What uploads, extensions and restorations cost, in stellar-core's numbers. The least that they must bid is in the table. */
import { readFileSync } from 'node:fs'
import { Operation, SorobanDataBuilder, StrKey, xdr } from '@stellar/stellar-sdk'
import { beforeEach, describe, expect, it } from 'vitest'
import { usdc } from '../../../src/localnet/genesis/genesis-assets.ts'
import type { Localnet } from '../../../src/localnet/network.ts'
import { archive } from '../../support/ledger-surgery.ts'
import { contractBalanceKey } from '../../support/ledger-view.ts'
import { declaredBy, eventsFee, nonRefundableFee, PER_DISK_READ, rentFee } from './core-fees.ts'
import {
  apply,
  balance,
  build,
  feeCharged,
  give,
  key,
  openNetwork,
  type PreparedCall,
  passphrase,
  resourceFees,
  XLM,
} from './harness.ts'
import { addressValue, prepare } from './soroban-harness.ts'

const alice = key(1)
const holder = StrKey.encodeContract(Buffer.alloc(32, 9))
const balanceKey = contractBalanceKey(holder)
/** Ledgers for which a new entry lives, its first included. */
const LIFETIME = 20
let net: Localnet

beforeEach(async () => {
  net = openNetwork({ entryTtls: { minPersistentTtl: LIFETIME } }).net
  await give(net, [
    { address: alice.publicKey(), asset: 'XLM', amount: 1_000n * XLM },
    { address: holder, asset: 'USDC', amount: 5n },
  ])
})

async function paid(call: PreparedCall) {
  const before = balance(net, alice)
  const applied = await apply(net, build(net, { source: alice, call }))
  const { successful, resultXdr, envelopeXdr, ledger } = applied
  expect(successful).toBe(true)
  expect(before - balance(net, alice)).toBe(feeCharged(resultXdr))
  const fees = resourceFees(applied)
  expect(feeCharged(resultXdr)).toBe(100n + fees.nonRefundable + fees.rent + fees.events)
  const declared = declaredBy(envelopeXdr)
  expect(fees.nonRefundable).toBe(nonRefundableFee(declared))
  return { ...fees, declared, ledger }
}

const entryOf = () => net.entry(balanceKey) ?? { entry: new Uint8Array() }

const withBalance = (
  operation: xdr.Operation,
  kind: 'setReadOnly' | 'setReadWrite',
  fee: bigint,
): PreparedCall => {
  const data = new SorobanDataBuilder().setResources(0, 500, 500).setResourceFee(fee)
  return { operation, data: data[kind]([xdr.LedgerKey.fromXdr(balanceKey)]).build() }
}

/** As if the ledgers of its lifetime had closed: the contract of an asset extends it by 30 days. */
const expire = () => archive(net, balanceKey)

describe('the fee', () => {
  it('of an upload is that of its resources, its rent and its hash', async () => {
    const wasm = readFileSync(new URL('../../fixtures/contracts/bell/bell.wasm', import.meta.url))
    const upload = Operation.uploadContractWasm({ wasm })
    const { declared, rent, events } = await paid(await prepare(net, upload, { source: alice }))
    expect(declared).toMatchObject({ readOnly: 0, readWrite: 1, classic: 0 })
    expect(rent).toBeGreaterThan(0n)
    // The return value: type, length and 32 bytes.
    expect(events).toBe(eventsFee(40))
  })

  it('of an extension is that of its resources and the rent of more ledgers', async () => {
    const { entry, liveUntil = 0 } = entryOf()
    const extendTo = 3_000_000
    const extend = Operation.extendFootprintTtl({ extendTo })
    const { ledger, rent, events } = await paid(withBalance(extend, 'setReadOnly', 90_000_000n))
    expect(rent).toBe(rentFee(entry.length, ledger + extendTo - liveUntil))
    expect(events).toBe(0n)
  })

  it('of a restoration has a read from disk, and the rent of a new entry', async () => {
    expire()
    const restore = withBalance(Operation.restoreFootprint({}), 'setReadWrite', 10_000_000n)
    const { nonRefundable, rent } = await paid(restore)
    expect(rent).toBe(rentFee(entryOf().entry.length, LIFETIME))
    expect(nonRefundable).toBeGreaterThan(BigInt(PER_DISK_READ + 2_500))
  })

  it('of a call that restores entries has a read from disk for each', async () => {
    expire()
    const balanceOf = Operation.invokeContractFunction({
      contract: usdc.contractId(passphrase),
      function: 'balance',
      args: [addressValue(holder)],
    })
    const { declared } = await paid(await prepare(net, balanceOf, { source: alice }))
    expect(declared).toMatchObject({ restored: 1, isRestoration: false })
  })
})
