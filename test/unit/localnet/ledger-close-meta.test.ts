/** The meta of a ledger: what an indexer reads from `getLedgers`. */
import { createHash } from 'node:crypto'
import { Asset, Keypair, Operation, xdr } from '@stellar/stellar-sdk'
import { beforeEach, describe, expect, it } from 'vitest'
import type { ClosedLedger } from '../../../src/localnet/closing/history.ts'
import type { Localnet } from '../../../src/localnet/network.ts'
import { ledgerCloseMeta } from '../../../src/localnet/rpc/ledger-close-meta.ts'
import {
  account,
  balance,
  build,
  bump,
  bytesOf,
  type Envelope,
  feeCharged,
  fund,
  key,
  openNetwork,
  passphrase,
} from './harness.ts'
import { readLedger } from './properties/decoded-ledger.ts'
import { contentOf, Replay } from './properties/replay.ts'
import { type Declaration, declaring, transferCall } from './soroban-harness.ts'
import { pay } from './table/operations.ts'
import { resources } from './table/raw-envelopes.ts'

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

const payment = (source: Keypair) => build(net, { source, operations: [pay(carol, '1')] })

/** A transfer from Alice that another account pays for. */
async function transfer(source: Keypair, declares: Declaration = {}) {
  const call = await transferCall(net, { from: alice, to: carol, amount: 5n, source })
  return build(net, { source, call: declaring(call, declares) })
}

/** Submits to the next ledger, and closes it. */
async function close(...envelopes: Envelope[]): Promise<ClosedLedger> {
  for (const envelope of envelopes) expect(net.submit(bytesOf(envelope)).status).toBe('PENDING')
  return await net.closeLedger()
}

/** A payment, a transfer, and a transfer of Dora's that a fee bump of Alice's pays for. */
const closeMixed = async () =>
  close(payment(carol), await transfer(bob), bump(alice, await transfer(dora), '500'))

const clustersOf = ({ executionStages }: ReturnType<typeof read>['soroban']) =>
  executionStages.map((stage) => stage.map((it) => it.length))

describe('the transaction set', () => {
  it('of an empty ledger has a classic and a parallel phase, without a base fee', async () => {
    await net.closeLedger()
    const { classic, soroban } = read()
    expect(classic).toEqual([])
    expect(soroban.baseFee).toBeNull()
    expect(soroban.executionStages).toEqual([])
  })

  it('has base fees, and one cluster while the instructions fit into one', async () => {
    await close(payment(carol), await transfer(bob))
    const { classic, soroban } = read()
    expect(classic.map(({ baseFee, txs }) => [baseFee, txs.length])).toEqual([[100n, 1]])
    expect(soroban.baseFee).toBe(100n)
    expect(clustersOf(soroban)).toEqual([[1]])
  })

  it('has two clusters when the instructions need two', async () => {
    const most = { instructions: 400_000_000, resourceFee: 9_000_000n }
    const extension = {
      operation: Operation.extendFootprintTtl({ extendTo: 1000 }),
      data: resources(most.instructions, most.resourceFee),
    }
    // They conflict on nothing.
    await close(await transfer(bob, most), build(net, { source: alice, call: extension }))
    expect(clustersOf(read().soroban)).toEqual([[1, 1]])
  })

  it('is sorted by hash, and the header has its hash', async () => {
    await close(...[alice, bob, carol].map(payment))
    const { txSet, header, classic } = read()
    const hashes = classic.flatMap(({ txs }) => txs.map((it) => sha256(it.toXdr())))
    expect(hashes).toEqual(hashes.toSorted())
    expect(header.scpValue.txSetHash.toString()).toBe(sha256(txSet.toXdr()))
  })

  it('has the faucet in a stage after all others', async () => {
    const address = Asset.native().contractId(passphrase)
    const gift = net.faucet({ address, asset: 'USDC', amount: 1n })
    await close(await transfer(bob))
    const { soroban, txProcessing } = read()
    expect(clustersOf(soroban)).toEqual([[1], [1]])
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
    const [envelopeType, time] = [Buffer.of(0, 0, 0, 4), Buffer.alloc(8)]
    time.writeBigUInt64BE(closeTime)
    const message = Buffer.concat([net.networkId, envelopeType, txSetHash.value, time])
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
    const { transactions } = await close(await transfer(bob, { instructions: 1_000 }))
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
