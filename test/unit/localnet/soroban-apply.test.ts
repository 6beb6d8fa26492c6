/** Applying Soroban transactions: fees, lifetimes, authorization, randomness. */
import {
  Address,
  Asset,
  type Keypair,
  Operation,
  SorobanDataBuilder,
  StrKey,
  scValToNative,
  xdr,
} from '@stellar/stellar-sdk'
import { beforeEach, describe, expect, it } from 'vitest'
import { usdc } from '../../../src/localnet/genesis-assets.ts'
import type { AppliedTransaction } from '../../../src/localnet/history.ts'
import type { Localnet } from '../../../src/localnet/network.ts'
import { networkLimits } from '../../../src/localnet/network-limits.ts'
import {
  account,
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
  XLM,
} from './harness.ts'
import { declaring, transferCall } from './soroban-harness.ts'

const [alice, bob] = [1, 2].map(key) as [Keypair, Keypair]
const contract = StrKey.encodeContract(Buffer.alloc(32, 9))
const native = Asset.native()
let net: Localnet

beforeEach(async () => {
  net = openNetwork().net
  await fund(net, [alice, bob])
})

const lumens = (amount: bigint, source = bob, payer: Keypair | undefined = alice) =>
  transferCall(net, {
    from: alice.publicKey(),
    to: bob.publicKey(),
    amount,
    source,
    asset: native,
    ...(payer && { payer }),
  })

type Call = Awaited<ReturnType<typeof lumens>>
const transaction = ({ operation, data }: Call, source = bob) =>
  build(net, { source, operations: [operation], sorobanData: data })

describe('a contract call', () => {
  it('moves the amount, and its source pays the fee', async () => {
    const before = balance(net, bob)
    const applied = await apply(net, transaction(await lumens(5n)))
    expect(codes(applied.resultXdr)).toEqual(['txSuccess', 'invokeHostFunctionSuccess'])
    expect(before - balance(net, bob)).toBe(feeCharged(applied.resultXdr) - 5n)
  })

  it('cannot use an authorization twice', async () => {
    const call = await lumens(5n)
    await apply(net, transaction(call))
    const again = await apply(net, transaction(call))
    expect(codes(again.resultXdr)).toEqual(['txFailed', 'invokeHostFunctionTrapped'])
    expect(again.diagnosticEvents.length).toBeGreaterThan(0)
  })

  it('fails when its authorization is for another amount', async () => {
    const [cheap, dear] = [await lumens(5n), await lumens(6n)]
    const body = (call: Call) => {
      if (call.operation.body.type !== 'invokeHostFunction') throw new Error('no call')
      return call.operation.body.invokeHostFunctionOp
    }
    const forged = new xdr.Operation({
      sourceAccount: null,
      body: xdr.OperationBody.invokeHostFunction(
        new xdr.InvokeHostFunctionOp({
          hostFunction: body(dear).hostFunction,
          auth: body(cheap).auth,
        }),
      ),
    })
    const applied = await apply(net, transaction({ operation: forged, data: cheap.data }))
    expect(codes(applied.resultXdr)).toEqual(['txFailed', 'invokeHostFunctionTrapped'])
  })

  it('that runs out of instructions pays for the declared ones', async () => {
    const call = await lumens(5n)
    const starved = declaring(call, { instructions: 1_000 })
    const before = balance(net, bob)
    const applied = await apply(net, transaction(starved))
    expect(codes(applied.resultXdr)).toEqual([
      'txFailed',
      'invokeHostFunctionResourceLimitExceeded',
    ])
    expect(lastWords(applied)).toEqual({
      error: 'sceBudget',
      words: ['operation instructions exceeds amount specified', expect.any(BigInt), 1_000n],
    })
    expect(before - balance(net, bob)).toBe(feeCharged(applied.resultXdr))
  })

  it('fails when its fee leaves nothing for rent and events', async () => {
    const call = await lumens(5n)
    const { sorobanMeta } = metaOf((await apply(net, transaction(await lumens(1n)))).resultMetaXdr)
    if (sorobanMeta?.ext.type !== 'v1') throw new Error('the meta has no fees')
    const least = sorobanMeta.ext.v1.totalNonRefundableResourceFeeCharged
    // A little above: sizes of two envelopes differ by a few bytes.
    const bare = declaring(call, { resourceFee: least + 500n })
    const before = balance(net, bob)
    const applied = await apply(net, transaction(bare))
    expect(codes(applied.resultXdr)).toEqual([
      'txFailed',
      'invokeHostFunctionInsufficientRefundableFee',
    ])
    expect(lastWords(applied)).toEqual({
      error: 'sceBudget',
      words: [
        expect.stringMatching(
          /^refundable resource fee was not sufficient to cover the .*: {} > {}$/,
        ),
        expect.any(BigInt),
        expect.any(BigInt),
      ],
    })
    expect(before - balance(net, bob)).toBe(feeCharged(applied.resultXdr))
    expect(feeCharged(applied.resultXdr)).toBeLessThan(100n + least + 500n)
  })

  it('that fails costs no rent and no events', async () => {
    const call = await lumens(5n)
    await apply(net, transaction(call))
    const applied = await apply(net, transaction(call))
    const { sorobanMeta } = metaOf(applied.resultMetaXdr)
    if (sorobanMeta?.ext.type !== 'v1') throw new Error('the meta has no fees')
    const { totalNonRefundableResourceFeeCharged, totalRefundableResourceFeeCharged } =
      sorobanMeta.ext.v1
    expect(totalRefundableResourceFeeCharged).toBe(0n)
    expect(feeCharged(applied.resultXdr)).toBe(100n + totalNonRefundableResourceFeeCharged)
  })

  it('stores a nonce that expires with its signature', async () => {
    const call = await lumens(5n)
    await apply(net, transaction(call))
    const nonce = call.data.resources.footprint.readWrite.find(
      (it) => it.type === 'contractData' && it.contractData.durability.name === 'temporary',
    )
    if (!nonce) throw new Error('the footprint has no nonce')
    const { liveUntil = 0 } = net.entry(nonce.toXdr()) ?? {}
    while (net.latest.sequence < liveUntil) await net.closeLedger()
    expect(net.entry(nonce.toXdr())).toMatchObject({ liveUntil })
    const { evictedKeys } = await net.closeLedger()
    expect(net.entry(nonce.toXdr())).toBeUndefined()
    expect(evictedKeys.map((key) => Buffer.from(key).toString('base64'))).toEqual([
      nonce.toXdr('base64'),
    ])
  })
})

describe('the lifetime of an entry', () => {
  const balanceKey = xdr.LedgerKey.contractData(
    new xdr.LedgerKeyContractData({
      contract: Address.fromString(usdc.contractId(passphrase)).toScAddress(),
      key: xdr.ScVal.scvVec([
        xdr.ScVal.scvSymbol('Balance'),
        Address.fromString(contract).toScVal(),
      ]),
      durability: xdr.ContractDataDurability.persistent,
    }),
  )
  const lifetime = () => net.entry(balanceKey.toXdr())?.liveUntil ?? 0

  beforeEach(async () => {
    const gift = net.faucet({ address: contract, asset: 'USDC', amount: 5n })
    await net.closeLedger()
    await gift
  })

  const declared = (kind: 'setReadOnly' | 'setReadWrite') =>
    new SorobanDataBuilder()
      .setResources(0, 10_000, 10_000)
      [kind]([balanceKey])
      .setResourceFee(50_000_000n)
      .build()

  it('is the minimum of the network at first', () => {
    const { minPersistentTtl } = networkLimits.testnet.stateArchival
    expect(lifetime()).toBeGreaterThanOrEqual(net.latest.sequence + minPersistentTtl - 1)
  })

  it('grows by extension, which costs rent', async () => {
    const extendTo = 1_000_000
    const operations = [Operation.extendFootprintTtl({ extendTo })]
    const before = balance(net, alice)
    const applied = await apply(
      net,
      build(net, { source: alice, operations, sorobanData: declared('setReadOnly') }),
    )
    expect(codes(applied.resultXdr)).toEqual(['txSuccess', 'extendFootprintTtlSuccess'])
    expect(lifetime()).toBe(applied.ledger + extendTo)
    expect(before - balance(net, alice)).toBe(feeCharged(applied.resultXdr))
    const changes = metaOf(applied.resultMetaXdr).operations[0]?.changes
    expect(changes?.map(({ type }) => type)).toEqual(['ledgerEntryState', 'ledgerEntryUpdated'])
    expect(changes?.every((it) => JSON.stringify(it.toJson()).includes('"ttl"'))).toBe(true)
  })

  it('stays the same when a live entry is restored', async () => {
    const before = lifetime()
    const operations = [Operation.restoreFootprint({})]
    const parts = { source: alice, operations, sorobanData: declared('setReadWrite') }
    expect(await outcome(net, build(net, parts))).toEqual(['txSuccess', 'restoreFootprintSuccess'])
    expect(lifetime()).toBe(before)
  })

  it.each([
    {
      when: 'the footprint of an extension writes',
      operation: Operation.extendFootprintTtl({ extendTo: 10 }),
      kind: 'setReadWrite' as const,
      code: 'extendFootprintTtlMalformed',
    },
    {
      when: 'an extension exceeds the maximum',
      operation: Operation.extendFootprintTtl({ extendTo: 3_110_400 }),
      kind: 'setReadOnly' as const,
      code: 'extendFootprintTtlMalformed',
    },
    {
      when: 'the footprint of a restoration only reads',
      operation: Operation.restoreFootprint({}),
      kind: 'setReadOnly' as const,
      code: 'restoreFootprintMalformed',
    },
  ])('stays the same when $when', async ({ operation, kind, code }) => {
    const parts = { source: alice, operations: [operation], sorobanData: declared(kind) }
    expect(await outcome(net, build(net, parts))).toEqual(['ERROR', 'txFailed', code])
  })
})

describe('a simulation', () => {
  it('uses the ledger after the previous call', async () => {
    await apply(net, transaction(await lumens(5n)))
    const gift = net.faucet({ address: alice.publicKey(), asset: 'XLM', amount: 5_000n * XLM })
    await net.closeLedger()
    await gift
    const spent = await outcome(net, transaction(await lumens(4_000n * XLM)))
    expect(spent).toEqual(['txSuccess', 'invokeHostFunctionSuccess'])
  })
})

describe('a ledger', () => {
  it('applies its transactions, while a simulation uses the previous ledger', async () => {
    net.submit(bytesOf(transaction(await lumens(5n))))
    const before = account(net, bob)
    const closing = net.closeLedger()
    await Promise.resolve()
    expect(account(net, bob)).toEqual(before)
    await closing
    expect(account(net, bob)).not.toEqual(before)
  })
})

/** Events with which stellar-core ends each invocation, after its own error. */
const METRICS = 19

/** stellar-core's own error. */
function lastWords({ diagnosticEvents }: AppliedTransaction) {
  const { event } = xdr.DiagnosticEvent.fromXdr(
    diagnosticEvents.at(-METRICS - 1) ?? new Uint8Array(),
  )
  const { topics, data } = event.body.v0
  const error = topics[1]?.type === 'scvError' ? topics[1].error.type : undefined
  return { error, words: scValToNative(data) }
}

function metaOf(bytes: Uint8Array): xdr.TransactionMetaV4 {
  const meta = xdr.TransactionMeta.fromXdr(bytes)
  if (meta.type !== 'v4') throw new Error(`meta of version ${meta.type}`)
  return meta.v4
}
