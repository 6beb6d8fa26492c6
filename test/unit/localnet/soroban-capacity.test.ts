/** How many Soroban transactions fit side by side, by what they touch and what they declare (CAP-63). */
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
  /** Stroops for being included; all of them differ. */
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

/** Two rows of ten instructions, and plenty of everything else. */
const twoRows: LedgerLimits = { ...ledgerLimits('none', 1), instructionsPerBin: 10, bins: 2 }

/** The bids that got in, and the base fee. */
function chosen(calls: readonly Call[], room = twoRows): { bids: bigint[]; baseFee: bigint } {
  const { included, baseFees } = applySurgePricing(calls.map(call), room)
  return { bids: included.map(({ fee }) => fee), baseFee: baseFees.soroban }
}

describe('a ledger’s room for Soroban transactions', () => {
  it.each<{ when: string; calls: readonly Call[]; bids: bigint[]; baseFee: bigint }>([
    {
      when: 'independent ones fill both rows',
      calls: [
        { bid: 300, instructions: 10, writes: [1] },
        { bid: 200, instructions: 10, writes: [2] },
      ],
      bids: [300n, 200n],
      baseFee: 100n,
    },
    {
      when: 'those that write the same entry share a row',
      calls: [
        { bid: 300, instructions: 10, writes: [1] },
        { bid: 200, instructions: 10, writes: [1] },
      ],
      bids: [300n],
      baseFee: 300n,
    },
    {
      when: 'one reads what another writes',
      calls: [
        { bid: 300, instructions: 6, writes: [1] },
        { bid: 200, instructions: 6, reads: [1], writes: [2] },
      ],
      bids: [300n],
      baseFee: 300n,
    },
    {
      when: 'all read the same',
      calls: [
        { bid: 300, instructions: 10, reads: [1], writes: [2] },
        { bid: 200, instructions: 10, reads: [1], writes: [3] },
      ],
      bids: [300n, 200n],
      baseFee: 100n,
    },
    {
      when: 'one ties two rows together',
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
      when: 'dependent ones fit one after the other',
      calls: [
        { bid: 300, instructions: 5, writes: [1] },
        { bid: 200, instructions: 5, writes: [1] },
        { bid: 150, instructions: 10, writes: [2] },
      ],
      bids: [300n, 200n, 150n],
      baseFee: 100n,
    },
  ])('holds $bids when $when', ({ calls, bids, baseFee }) => {
    expect(chosen(calls)).toEqual({ bids, baseFee })
  })

  it('counts entries written, whoever writes them', () => {
    const written = ledgerLimits('none', 1).soroban.with(6, 2)
    const calls = [
      { bid: 300, instructions: 1, writes: [1, 2] },
      { bid: 200, instructions: 1, writes: [3] },
    ]
    expect(chosen(calls, { ...twoRows, soroban: written })).toEqual({ bids: [300n], baseFee: 300n })
  })

  it('is testnet’s where nothing else is said', () => {
    expect(ledgerLimits('testnet', 100)).toEqual({
      classic: [100],
      soroban: [2_000, 1_160_000_000, 266_240, 400_000, 1_000, 286_720, 1_000],
      instructionsPerBin: 580_000_000,
      bins: 2,
    })
  })
})
