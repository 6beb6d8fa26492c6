/** How many Soroban transactions fit into a ledger, by footprint and declared resources (CAP-63). */
import { Operation, SorobanDataBuilder, xdr } from '@stellar/stellar-sdk'
import { describe, expect, it } from 'vitest'
import { muxedAccountOf, publicKeyOf } from '../../../src/localnet/ledger/account-id.ts'
import { decodeEnvelope, type Envelope } from '../../../src/localnet/transactions/envelope.ts'
import { applySurgePricing } from '../../../src/localnet/transactions/set/surge-pricing.ts'
import {
  type LedgerLimits,
  ledgerLimits,
} from '../../../src/localnet/transactions/soroban/ledger-resources.ts'
import { idOf, key } from './harness.ts'

/** `'bid 300: 10, reads a b, writes c'`: the inclusion bid in stroops, instructions, and one-letter entries. */
function call(text: string): Envelope {
  const [, bid, instructions, reads = '', writes = ''] =
    /^bid (\d+): (\d+)(?:, reads ([a-z ]+))?(?:, writes ([a-z ]+))?$/.exec(text) ?? []
  if (!bid) throw new Error(`not a call: ${text}`)
  const tx = new xdr.Transaction({
    sourceAccount: muxedAccountOf(idOf(key(9))),
    fee: Number(bid),
    seqNum: 1n,
    cond: xdr.Preconditions.precondNone(),
    memo: xdr.Memo.memoNone(),
    operations: [Operation.uploadContractWasm({ wasm: new Uint8Array() })],
    ext: xdr.TransactionExt.sorobanData(
      new SorobanDataBuilder()
        .setResources(Number(instructions), 0, 0)
        .setReadOnly(entries(reads))
        .setReadWrite(entries(writes))
        .build(),
    ),
  })
  const envelope = new xdr.TransactionV1Envelope({ tx, signatures: [] })
  return decodeEnvelope(xdr.TransactionEnvelope.envelopeTypeTx(envelope).toXdr(), {
    networkId: new Uint8Array(32),
  })
}

const entries = (letters: string): xdr.LedgerKey[] =>
  letters
    .split(' ')
    .filter(Boolean)
    .map((letter) => publicKeyOf(idOf(key(letter.charCodeAt(0)))))
    .map((accountId) => xdr.LedgerKey.account(new xdr.LedgerKeyAccount({ accountId })))

/** Two clusters of ten instructions, and enough of all other resources. */
const twoClusters: LedgerLimits = { ...ledgerLimits('none', 1), instructionsPerBin: 10, bins: 2 }
const twoWrites = { ...twoClusters, soroban: ledgerLimits('none', 1).soroban.with(6, 2) }

describe('the Soroban capacity of a ledger', () => {
  it.each<{
    when: string
    calls: string[]
    bids: bigint[]
    baseFee: bigint
    limits?: LedgerLimits
  }>([
    {
      when: 'independent calls fill both clusters',
      calls: ['bid 300: 10, writes a', 'bid 200: 10, writes b'],
      bids: [300n, 200n],
      baseFee: 100n,
    },
    {
      when: 'calls that write the same entry share a cluster',
      calls: ['bid 300: 10, writes a', 'bid 200: 10, writes a'],
      bids: [300n],
      baseFee: 300n,
    },
    {
      when: 'one reads the entry that another writes',
      calls: ['bid 300: 6, writes a', 'bid 200: 6, reads a, writes b'],
      bids: [300n],
      baseFee: 300n,
    },
    {
      when: 'one writes the entry that another reads',
      calls: ['bid 300: 6, reads a, writes b', 'bid 200: 6, writes a'],
      bids: [300n],
      baseFee: 300n,
    },
    {
      when: 'all read the same entry',
      calls: ['bid 300: 10, reads a, writes b', 'bid 200: 10, reads a, writes c'],
      bids: [300n, 200n],
      baseFee: 100n,
    },
    {
      when: 'one depends on calls of both clusters',
      calls: [
        ...['bid 400: 8, writes a', 'bid 300: 8, writes b'],
        ...['bid 200: 1, writes a b', 'bid 150: 2, writes a'],
      ],
      bids: [400n, 300n, 150n],
      baseFee: 150n,
    },
    {
      when: 'dependent calls fit into one cluster',
      calls: ['bid 300: 5, writes a', 'bid 200: 5, writes a', 'bid 150: 10, writes b'],
      bids: [300n, 200n, 150n],
      baseFee: 100n,
    },
    {
      when: 'two entries can be written in all',
      calls: ['bid 300: 1, writes a b', 'bid 200: 1, writes c'],
      bids: [300n],
      baseFee: 300n,
      limits: twoWrites,
    },
  ])('takes $bids when $when', ({ calls, bids, baseFee, limits = twoClusters }) => {
    const { included, baseFees } = applySurgePricing(calls.map(call), limits)
    expect(included.map(({ fee }) => fee)).toEqual(bids)
    expect(baseFees.soroban).toBe(baseFee)
  })

  it('is that of testnet by default', () => {
    expect(ledgerLimits('testnet', 100)).toEqual({
      classic: [100],
      soroban: [2_000, 1_160_000_000, 266_240, 400_000, 1_000, 286_720, 1_000],
      instructionsPerBin: 580_000_000,
      bins: 2,
    })
  })
})
