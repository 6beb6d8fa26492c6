/** How many Soroban transactions fit into a ledger, by footprint and declared resources (CAP-63). */
import { Contract, Operation, xdr } from '@stellar/stellar-sdk'
import { describe, expect, it } from 'vitest'
import { muxedAccountOf, publicKeyOf } from '../../../src/localnet/ledger/account-id.ts'
import { decodeEnvelope, type Envelope } from '../../../src/localnet/transactions/envelope.ts'
import {
  type LedgerLimits,
  ledgerLimits,
} from '../../../src/localnet/transactions/ledger-resources.ts'
import { applySurgePricing } from '../../../src/localnet/transactions/surge-pricing.ts'
import { idOf, key } from './harness.ts'

const networkId = new Uint8Array(32)
const contract = 'CAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAD2KM'
const noOperation = Operation.invokeHostFunction({
  func: xdr.HostFunction.hostFunctionTypeInvokeContract(
    new xdr.InvokeContractArgs({
      contractAddress: new Contract(contract).address().toScAddress(),
      functionName: 'call',
      args: [],
    }),
  ),
  auth: [],
})

const entry = (n: number): xdr.LedgerKey =>
  xdr.LedgerKey.account(new xdr.LedgerKeyAccount({ accountId: publicKeyOf(idOf(key(n))) }))

interface Call {
  /** Inclusion bid in stroops; no two are equal. */
  readonly bid: number
  readonly instructions: number
  readonly reads?: readonly number[]
  readonly writes?: readonly number[]
}

function call({ bid, instructions, reads = [], writes = [] }: Call): Envelope {
  const data = new xdr.SorobanTransactionData({
    ext: xdr.SorobanTransactionDataExt.v0(),
    resources: new xdr.SorobanResources({
      footprint: new xdr.LedgerFootprint({
        readOnly: reads.map(entry),
        readWrite: writes.map(entry),
      }),
      instructions,
      diskReadBytes: 0,
      writeBytes: 0,
    }),
    resourceFee: 0n,
  })
  const tx = new xdr.Transaction({
    sourceAccount: muxedAccountOf(idOf(key(9))),
    fee: bid,
    seqNum: 1n,
    cond: xdr.Preconditions.precondNone(),
    memo: xdr.Memo.memoNone(),
    operations: [noOperation],
    ext: xdr.TransactionExt.sorobanData(data),
  })
  const envelope = xdr.TransactionEnvelope.envelopeTypeTx(
    new xdr.TransactionV1Envelope({ tx, signatures: [] }),
  )
  return decodeEnvelope(envelope.toXdr(), { networkId })
}

/** Two clusters of ten instructions, and enough of all other resources. */
const twoClusters: LedgerLimits = { ...ledgerLimits('none', 1), instructionsPerBin: 10, bins: 2 }

/** The bids of the included calls, and the base fee. */
function chosen(calls: readonly Call[], limits = twoClusters): { bids: bigint[]; baseFee: bigint } {
  const { included, baseFees } = applySurgePricing(calls.map(call), limits)
  return { bids: included.map(({ fee }) => fee), baseFee: baseFees.soroban }
}

describe('the Soroban capacity of a ledger', () => {
  it.each<{ when: string; calls: readonly Call[]; bids: bigint[]; baseFee: bigint }>([
    {
      when: 'independent calls fill both clusters',
      calls: [
        { bid: 300, instructions: 10, writes: [1] },
        { bid: 200, instructions: 10, writes: [2] },
      ],
      bids: [300n, 200n],
      baseFee: 100n,
    },
    {
      when: 'calls that write the same entry share a cluster',
      calls: [
        { bid: 300, instructions: 10, writes: [1] },
        { bid: 200, instructions: 10, writes: [1] },
      ],
      bids: [300n],
      baseFee: 300n,
    },
    {
      when: 'one reads the entry that another writes',
      calls: [
        { bid: 300, instructions: 6, writes: [1] },
        { bid: 200, instructions: 6, reads: [1], writes: [2] },
      ],
      bids: [300n],
      baseFee: 300n,
    },
    {
      when: 'all read the same entry',
      calls: [
        { bid: 300, instructions: 10, reads: [1], writes: [2] },
        { bid: 200, instructions: 10, reads: [1], writes: [3] },
      ],
      bids: [300n, 200n],
      baseFee: 100n,
    },
    {
      when: 'one depends on calls of both clusters',
      calls: [
        { bid: 400, instructions: 8, writes: [1] },
        { bid: 300, instructions: 8, writes: [2] },
        { bid: 200, instructions: 1, writes: [1, 2] },
        { bid: 150, instructions: 2, writes: [1] },
      ],
      bids: [400n, 300n, 150n],
      baseFee: 150n,
    },
    {
      when: 'dependent calls fit into one cluster',
      calls: [
        { bid: 300, instructions: 5, writes: [1] },
        { bid: 200, instructions: 5, writes: [1] },
        { bid: 150, instructions: 10, writes: [2] },
      ],
      bids: [300n, 200n, 150n],
      baseFee: 100n,
    },
  ])('takes $bids when $when', ({ calls, bids, baseFee }) => {
    expect(chosen(calls)).toEqual({ bids, baseFee })
  })

  it('counts the written entries of all calls', () => {
    const written = ledgerLimits('none', 1).soroban.with(6, 2)
    const calls = [
      { bid: 300, instructions: 1, writes: [1, 2] },
      { bid: 200, instructions: 1, writes: [3] },
    ]
    expect(chosen(calls, { ...twoClusters, soroban: written })).toEqual({
      bids: [300n],
      baseFee: 300n,
    })
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
