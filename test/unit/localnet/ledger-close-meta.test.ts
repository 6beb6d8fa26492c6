/** The meta of a ledger: what an indexer reads from `getLedgers`. */
import { createHash } from 'node:crypto'
import { Asset, Keypair, Operation, TransactionBuilder, xdr } from '@stellar/stellar-sdk'
import { beforeEach, describe, expect, it } from 'vitest'
import type { ClosedLedger } from '../../../src/localnet/history.ts'
import type { Localnet } from '../../../src/localnet/network.ts'
import { ledgerCloseMeta } from '../../../src/localnet/rpc/ledger-close-meta.ts'
import {
  account,
  balance,
  build,
  bytesOf,
  feeCharged,
  fund,
  key,
  openNetwork,
  passphrase,
} from './harness.ts'
import { readLedger } from './properties/decoded-ledger.ts'
import { contentOf, Replay } from './properties/replay.ts'
import { declaring, transferCall } from './soroban-harness.ts'

const people = [1, 2, 3, 4].map(key) as [Keypair, Keypair, Keypair, Keypair]
const [alice, bob, carol, dora] = people
let net: Localnet

const open = async (options: Parameters<typeof openNetwork>[0] = {}): Promise<void> => {
  net = openNetwork(options).net
  await fund(net, people)
}

beforeEach(() => open())

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

function read(ledger: ClosedLedger = net.latest) {
  const bytes = ledgerCloseMeta(ledger, net.metaVersion)
  const meta = xdr.LedgerCloseMeta.fromXdr(bytes)
  const { txSet, txProcessing, ledgerHeader } = contentOf(meta)
  if (txSet.type !== 'v1TxSet') throw new Error(txSet.type)
  const [classic, soroban] = txSet.v1TxSet.phases
  if (classic?.type !== 'v0Components' || soroban?.type !== 'parallelTxsComponent') {
    throw new Error(`phases of ${classic?.type} and ${soroban?.type}`)
  }
  return {
    bytes,
    meta,
    txSet,
    txProcessing,
    header: ledgerHeader.header,
    classic: classic.v0Components.map((it) => it.txsMaybeDiscountedFee),
    soroban: soroban.parallelTxsComponent,
  }
}

const payment = (source: Keypair) =>
  build(net, {
    source,
    operations: [
      Operation.payment({ destination: carol.publicKey(), asset: Asset.native(), amount: '1' }),
    ],
  })

/** A transfer from Alice that another account pays for. */
async function transfer(source: Keypair, instructions?: number) {
  const call = await transferCall(net, {
    from: alice.publicKey(),
    to: carol.publicKey(),
    amount: 5n,
    payer: alice,
    source,
    asset: Asset.native(),
  })
  const { operation, data } = instructions ? declaring(call, { instructions }) : call
  return build(net, { source, operations: [operation], sorobanData: data })
}

/** A payment, a transfer, and a transfer of Dora's that a fee bump of Alice's pays for. */
async function closeMixed(): Promise<ClosedLedger> {
  const inner = await transfer(dora)
  const bump = TransactionBuilder.buildFeeBumpTransaction(alice, '500', inner, passphrase)
  bump.sign(alice)
  for (const envelope of [payment(carol), await transfer(bob), bump]) {
    expect(net.submit(bytesOf(envelope)).status).toBe('PENDING')
  }
  return await net.closeLedger()
}

describe('the transaction set', () => {
  it('of an empty ledger has a classic and a parallel phase, without a base fee', async () => {
    await net.closeLedger()
    const { classic, soroban } = read()
    expect(classic).toEqual([])
    expect(soroban.baseFee).toBeNull()
    expect(soroban.executionStages).toEqual([])
  })

  it('has base fees, and one cluster while the instructions fit into one', async () => {
    net.submit(bytesOf(payment(carol)))
    net.submit(bytesOf(await transfer(bob)))
    await net.closeLedger()
    const { classic, soroban } = read()
    expect(classic.map(({ baseFee, txs }) => [baseFee, txs.length])).toEqual([[100n, 1]])
    expect(soroban.baseFee).toBe(100n)
    expect(soroban.executionStages.map((stage) => stage.map((it) => it.length))).toEqual([[1]])
  })

  it('has two clusters when the instructions need two', async () => {
    const MOST = 400_000_000
    const call = async (source: Keypair, asset: Asset) => {
      const prepared = await transferCall(net, {
        from: source.publicKey(),
        to: carol.publicKey(),
        amount: 1n,
        source,
        asset,
      })
      const { operation, data } = declaring(prepared, {
        instructions: MOST,
        resourceFee: 9_000_000n,
      })
      return build(net, { source, operations: [operation], sorobanData: data })
    }
    // Transfers to different receivers conflict on nothing.
    const calls = [
      await call(bob, Asset.native()),
      build(net, {
        source: alice,
        operations: [Operation.extendFootprintTtl({ extendTo: 1000 })],
        sorobanData: new xdr.SorobanTransactionData({
          ext: xdr.SorobanTransactionDataExt.v0(),
          resources: new xdr.SorobanResources({
            footprint: new xdr.LedgerFootprint({ readOnly: [], readWrite: [] }),
            instructions: MOST,
            diskReadBytes: 0,
            writeBytes: 0,
          }),
          resourceFee: 9_000_000n,
        }),
      }),
    ]
    for (const envelope of calls) expect(net.submit(bytesOf(envelope)).status).toBe('PENDING')
    await net.closeLedger()
    const { soroban } = read()
    expect(soroban.executionStages.map((stage) => stage.map((it) => it.length))).toEqual([[1, 1]])
  })

  it('is sorted by hash, and the header has its hash', async () => {
    for (const source of [alice, bob, carol]) net.submit(bytesOf(payment(source)))
    await net.closeLedger()
    const { txSet, header, classic } = read()
    const hashes = classic.flatMap(({ txs }) => txs.map((it) => sha256(it.toXdr())))
    expect(hashes).toEqual(hashes.toSorted())
    expect(header.scpValue.txSetHash.toString()).toBe(sha256(txSet.toXdr()))
  })

  it('has the faucet in a stage after all others', async () => {
    const gift = net.faucet({
      address: Asset.native().contractId(passphrase),
      asset: 'USDC',
      amount: 1n,
    })
    net.submit(bytesOf(await transfer(bob)))
    await net.closeLedger()
    await gift
    const { soroban, txProcessing } = read()
    expect(soroban.executionStages.map((stage) => stage.map((it) => it.length))).toEqual([
      ...[[1], [1]],
    ])
    expect(txProcessing.at(-1)?.result.transactionHash.toString()).toBe((await gift).hash)
  })
})

describe('the value of a ledger', () => {
  it('is signed by the validator', async () => {
    await net.closeLedger()
    const { header } = read()
    const { ext, txSetHash, closeTime } = header.scpValue
    if (ext.type !== 'stellarValueSigned') throw new Error(ext.type)
    const { nodeId, signature } = ext.lcValueSignature
    const signed = Buffer.alloc(12)
    signed.writeUInt32BE(4)
    signed.writeBigUInt64BE(closeTime, 4)
    const message = Buffer.concat([
      net.networkId,
      signed.subarray(0, 4),
      txSetHash.value,
      signed.subarray(4),
    ])
    const validator = new Keypair({ type: 'ed25519', publicKey: Buffer.from(nodeId.value.value) })
    expect(validator.verify(message, Buffer.from(signature.value))).toBe(true)
  })

  it('is not signed at genesis', () => {
    const genesis = net.ledger(1)
    expect(genesis && read(genesis).header.scpValue.ext.type).toBe('stellarValueBasic')
  })

  it('allows 200 operations, as on testnet', () => {
    expect(read().header.maxTxSetSize).toBe(200)
  })
})

describe('the changes of fees', () => {
  it('are two before the ledger, and for Soroban two after it', async () => {
    await closeMixed()
    const kinds = read().txProcessing.map((it) => ({
      soroban: 'postTxApplyFeeProcessing' in it && it.postTxApplyFeeProcessing.map(kindOf),
      fee: it.feeProcessing.map(kindOf),
    }))
    const stateAndUpdate = ['ledgerEntryState', 'ledgerEntryUpdated']
    expect(kinds.map(({ fee }) => fee)).toEqual(kinds.map(() => stateAndUpdate))
    const afterwards = [[], stateAndUpdate, stateAndUpdate]
    expect(kinds.map(({ soroban }) => soroban)).toEqual(afterwards)
  })

  it('give every fee payer its balance', async () => {
    const before = people.map((it) => balance(net, it))
    await closeMixed()
    const { txProcessing } = read()
    const changes = txProcessing.flatMap((it) => [
      ...it.feeProcessing,
      ...('postTxApplyFeeProcessing' in it ? it.postTxApplyFeeProcessing : []),
    ])
    const charged = net.latest.transactions.reduce((sum, it) => sum + feeCharged(it.resultXdr), 0n)
    expect(changes.reduce((sum, it) => sum + balanceOf(it), 0n)).toBe(-charged)
    expect(before.reduce((sum, it) => sum + it)).toBe(
      people.reduce((sum, it) => sum + balance(net, it), charged),
    )
  })

  it.each([3, 4] as const)('and all others give the next ledger in meta v%s', async (version) => {
    await open({ metaVersion: version })
    const replay = new Replay((await readLedger(net)).entries)
    for (let ledger = 0; ledger < 4; ledger++) {
      await closeMixed()
      const { meta, bytes } = read()
      expect(meta.type).toBe(version === 4 ? 'v2' : 'v1')
      expect(Buffer.from(meta.toXdr()).equals(bytes)).toBe(true)
      replay.applyLedger(meta)
      const { entries } = await readLedger(net)
      expect([...replay.problems, ...replay.differencesTo(entries, net.latest.sequence)]).toEqual(
        [],
      )
    }
  })

  it('of a failed call return rent and events', async () => {
    net.submit(bytesOf(await transfer(bob, 1000)))
    const { transactions } = await net.closeLedger()
    expect(transactions.map(({ successful }) => successful)).toEqual([false])
    const [{ postTxApplyFeeProcessing: refund = [] } = {}] = read().txProcessing as [
      xdr.TransactionResultMetaV1?,
    ]
    expect(refund).toHaveLength(2)
    expect(account(net, bob)?.balance).toBe(entryBalance(refund.at(-1)))
  })
})

const kindOf = ({ type }: xdr.LedgerEntryChange): string => type

const entryBalance = (change: xdr.LedgerEntryChange | undefined): bigint => {
  if (!change || change.type === 'ledgerEntryRemoved') return 0n
  const { data } = change.value
  return data.type === 'account' ? data.account.balance : 0n
}

/** What a change adds to an indexer's balances: a state takes away what its update sets. */
const balanceOf = (change: xdr.LedgerEntryChange): bigint =>
  change.type === 'ledgerEntryState' ? -entryBalance(change) : entryBalance(change)
