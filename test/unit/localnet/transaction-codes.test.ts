/** Result codes of transactions as a whole: what is refused, and what still costs a fee. */
import {
  Asset,
  type FeeBumpTransaction,
  type Keypair,
  Memo,
  Operation,
  type Transaction,
  TransactionBuilder,
  xdr,
} from '@stellar/stellar-sdk'
import { beforeAll, describe, expect, it, test } from 'vitest'
import { sha256 } from '../../../src/localnet/ledger/header.ts'
import type { Localnet } from '../../../src/localnet/network.ts'
import type { FakeClock } from '../../support/fake-clock.ts'
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
  type TransactionParts,
  XLM,
} from './harness.ts'
import { transferCall } from './soroban-harness.ts'

const [alice, bob, sponsor, poor, stranger] = [1, 2, 3, 4, 5].map(key) as [
  Keypair,
  Keypair,
  Keypair,
  Keypair,
  Keypair,
]

let net: Localnet
let clock: FakeClock

beforeAll(async () => {
  ;({ net, clock } = openNetwork())
  await fund(net, [alice, bob, sponsor])
  await fund(net, [poor], 1n)
})

const payment = Operation.payment({
  destination: bob.publicKey(),
  asset: Asset.native(),
  amount: '1',
})

type Parts = Partial<TransactionParts>
const transaction = (parts: Parts = {}): Transaction =>
  build(net, { source: alice, operations: [payment], ...parts })

const bump = (
  inner: Transaction,
  fee: string,
  payer = sponsor,
  signer = payer,
): FeeBumpTransaction => {
  const bumped = TransactionBuilder.buildFeeBumpTransaction(payer, fee, inner, passphrase)
  bumped.sign(signer)
  return bumped
}

/** Seconds of the last close. */
const now = (): number => net.latest.closeTime

/** The SDK refuses to bid so little. */
function lowBid(fee: bigint, inner = transaction()): Envelopes {
  const { tx } = envelopeOf(bump(inner, '1000'))
  const lowered = new xdr.FeeBumpTransaction({
    feeSource: tx.feeSource,
    fee,
    innerTx: tx.innerTx,
    ext: tx.ext,
  })
  const payload = sha256(net.networkId, Uint8Array.of(0, 0, 0, 5), lowered.toXdr())
  const signatures = [sponsor.signDecorated(payload)]
  const envelope = new xdr.FeeBumpTransactionEnvelope({ tx: lowered, signatures })
  return { toEnvelope: () => xdr.TransactionEnvelope.envelopeTypeTxFeeBump(envelope) }
}

function envelopeOf(bumped: FeeBumpTransaction): xdr.FeeBumpTransactionEnvelope {
  const envelope = bumped.toEnvelope()
  if (envelope.type !== 'envelopeTypeTxFeeBump') throw new Error(envelope.type)
  return envelope.feeBump
}

type Envelopes = { toEnvelope(): xdr.TransactionEnvelope }

interface Row {
  readonly when: string
  readonly make: () => Envelopes | Promise<Envelopes>
  readonly code: string
}

const refusals = (rows: readonly Row[]) =>
  test.each(rows)('is $code when $when', async ({ make, code }) => {
    const before = { balance: balance(net, alice), sequence: account(net, alice)?.sequence }
    const sent = net.submit(bytesOf(await make()))
    expect(sent.status).toBe('ERROR')
    expect(codes(sent.resultXdr ?? new Uint8Array())).toEqual(code.split(' '))
    await net.closeLedger()
    expect({ balance: balance(net, alice), sequence: account(net, alice)?.sequence }).toEqual(
      before,
    )
  })

describe('a refused transaction', () => {
  refusals([
    {
      when: 'it skips a number',
      make: () => transaction({ sequenceOffset: 1n }),
      code: 'txBadSeq',
    },
    {
      when: 'its number is used up',
      make: () => transaction({ sequenceOffset: -1n }),
      code: 'txBadSeq',
    },
    {
      when: 'there is no source',
      make: () => transaction({ source: stranger }),
      code: 'txNoAccount',
    },
    {
      when: 'it bids too little',
      make: () => transaction({ fee: '99' }),
      code: 'txInsufficientFee',
    },
    {
      when: 'it does nothing',
      make: () => transaction({ operations: [] }),
      code: 'txMissingOperation',
    },
    {
      when: 'its source cannot pay',
      make: () => transaction({ source: poor }),
      code: 'txInsufficientBalance',
    },
    { when: 'nobody signed', make: () => transaction({ signers: [] }), code: 'txBadAuth' },
    {
      when: 'somebody else signed',
      make: () => transaction({ signers: [bob] }),
      code: 'txBadAuth',
    },
    {
      when: 'a signature stands for nobody',
      make: () => transaction({ signers: [alice, stranger] }),
      code: 'txBadAuthExtra',
    },
    {
      when: "an operation's source did not sign",
      make: () =>
        transaction({
          operations: [
            Operation.accountMerge({ destination: alice.publicKey(), source: bob.publicKey() }),
          ],
        }),
      code: 'txFailed opBadAuth',
    },
    {
      when: 'it is over',
      make: () => transaction({ conditions: (it) => it.setTimebounds(0, now() - 1) }),
      code: 'txTooLate',
    },
    {
      when: 'it would be over before two ledgers',
      make: () => transaction({ conditions: (it) => it.setTimebounds(0, now() + 9) }),
      code: 'txTooLate',
    },
    {
      when: 'its time has not come',
      make: () => transaction({ conditions: (it) => it.setTimebounds(now() + 60, 0) }),
      code: 'txTooEarly',
    },
    {
      when: 'its last ledger is the next',
      make: () =>
        transaction({
          conditions: (it) => it.setTimeout(0).setLedgerbounds(0, net.latest.sequence + 1),
        }),
      code: 'txTooLate',
    },
    {
      when: 'its first ledger is not the next',
      make: () =>
        transaction({
          conditions: (it) => it.setTimeout(0).setLedgerbounds(net.latest.sequence + 2, 0),
        }),
      code: 'txTooEarly',
    },
    {
      when: 'the account has not rested long enough',
      make: () =>
        transaction({
          conditions: (it) => it.setTimeout(0).setMinAccountSequenceLedgerGap(1_000_000),
        }),
      code: 'txBadMinSeqAgeOrGap',
    },
    {
      when: 'an extra signer did not sign',
      make: () =>
        transaction({ conditions: (it) => it.setTimeout(0).setExtraSigners([bob.publicKey()]) }),
      code: 'txBadAuth',
    },
    {
      when: 'it mixes contract calls with other operations',
      make: async () => {
        const { operation } = await lumens()
        return transaction({ operations: [operation, payment], fee: '200' })
      },
      code: 'txMalformed',
    },
    {
      when: 'a contract call declares nothing',
      make: async () => transaction({ operations: [(await lumens()).operation] }),
      code: 'txMalformed',
    },
    {
      when: 'a contract call carries a memo',
      make: async () => call(await lumens(), { memo: Memo.text('hello') }),
      code: 'txSorobanInvalid',
    },
    {
      when: 'the resource fee is below what the resources cost',
      make: async () => {
        const { operation, data } = await lumens()
        return call({ operation, data: declaring(data, { resourceFee: 1_000n }) })
      },
      code: 'txSorobanInvalid',
    },
    {
      when: 'it declares more instructions than a transaction may use',
      make: async () => {
        const { operation, data } = await lumens()
        return call({ operation, data: declaring(data, { instructions: 400_000_001 }) })
      },
      code: 'txSorobanInvalid',
    },
  ])

  it('tells the limit it broke', async () => {
    const { operation, data } = await lumens()
    const excessive = call({ operation, data: declaring(data, { instructions: 400_000_001 }) })
    const { diagnosticEvents = [] } = net.submit(bytesOf(excessive))
    const text = diagnosticEvents.map((it) =>
      JSON.stringify(xdr.DiagnosticEvent.fromXdr(it).toJson()),
    )
    expect(text.join()).toContain('transaction instructions resources exceed network config limit')
  })

  it('names the fee that would have been asked', () => {
    const { resultXdr = new Uint8Array() } = net.submit(
      bytesOf(transaction({ sequenceOffset: 9n })),
    )
    expect(feeCharged(resultXdr)).toBe(100n)
  })
})

describe('a refused fee bump', () => {
  refusals([
    {
      when: 'it bids for one operation only',
      make: () => lowBid(199n),
      code: 'txInsufficientFee',
    },
    {
      when: 'its rate is below that inside',
      make: () => lowBid(399n, transaction({ fee: '200' })),
      code: 'txInsufficientFee',
    },
    {
      when: 'nobody is there to pay',
      make: () => bump(transaction(), '200', stranger),
      code: 'txNoAccount',
    },
    {
      when: 'its payer did not sign',
      make: () => bump(transaction(), '200', sponsor, alice),
      code: 'txBadAuth',
    },
    {
      when: 'its payer cannot pay',
      make: () => bump(transaction(), '200', poor),
      code: 'txInsufficientBalance',
    },
    {
      when: 'somebody signed for nothing',
      make: () => {
        const bumped = bump(transaction(), '200')
        bumped.sign(stranger)
        return bumped
      },
      code: 'txBadAuthExtra',
    },
    {
      when: 'the transaction inside is not next',
      make: () => bump(transaction({ sequenceOffset: 1n }), '200'),
      code: 'txFeeBumpInnerFailed txBadSeq',
    },
    {
      when: 'the transaction inside is not signed',
      make: () => bump(transaction({ signers: [] }), '200'),
      code: 'txFeeBumpInnerFailed txBadAuth',
    },
  ])

  it('may carry a transaction that bids nothing', async () => {
    const applied = await apply(net, bump(transaction({ fee: '0' }), '100'))
    expect(codes(applied.resultXdr)).toEqual([
      'txFeeBumpInnerSuccess',
      'txSuccess',
      'paymentSuccess',
    ])
  })
})

describe('a transaction that is taken', () => {
  it('pays the base fee however much it bids', async () => {
    const before = balance(net, alice)
    const applied = await apply(net, transaction({ fee: '5000' }))
    expect(feeCharged(applied.resultXdr)).toBe(100n)
    expect(before - balance(net, alice)).toBe(XLM + 100n)
  })

  it('that fails pays its fee and uses its number', async () => {
    const before = account(net, alice)
    const operations = [Operation.accountMerge({ destination: stranger.publicKey() })]
    expect(await outcome(net, transaction({ operations }))).toEqual([
      'txFailed',
      'accountMergeNoAccount',
    ])
    expect(account(net, alice)).toMatchObject({
      balance: (before?.balance ?? 0n) - 100n,
      sequence: (before?.sequence ?? 0n) + 1n,
    })
  })

  it('jumps numbers where it says from which on', async () => {
    const from = account(net, alice)?.sequence ?? 0n
    const jump = transaction({
      sequenceOffset: 10n,
      conditions: (it) => it.setTimeout(0).setMinAccountSequence(from.toString()),
    })
    expect(await outcome(net, jump)).toEqual(['txSuccess', 'paymentSuccess'])
    expect(account(net, alice)?.sequence).toBe(from + 11n)
  })

  it('is gone without a trace when it expires while it waits', async () => {
    const before = account(net, alice)
    const expiring = transaction({ conditions: (it) => it.setTimebounds(0, now() + 12) })
    expect(net.submit(bytesOf(expiring)).status).toBe('PENDING')
    // Ledgers that closed at once ran ahead of the clock.
    await clock.advance(200_000)
    expect((await net.closeLedger()).transactions).toEqual([])
    expect(account(net, alice)).toEqual(before)
  })
})

async function lumens() {
  return await transferCall(net, {
    from: alice.publicKey(),
    to: bob.publicKey(),
    amount: 1n,
    source: alice,
    asset: Asset.native(),
  })
}

const call = (
  { operation, data }: { operation: xdr.Operation; data: xdr.SorobanTransactionData },
  parts: Parts = {},
): Transaction => transaction({ operations: [operation], sorobanData: data, ...parts })

function declaring(
  { ext, resources, resourceFee }: xdr.SorobanTransactionData,
  changes: { resourceFee?: bigint; instructions?: number },
): xdr.SorobanTransactionData {
  const { footprint, instructions, diskReadBytes, writeBytes } = resources
  return new xdr.SorobanTransactionData({
    ext,
    resources: new xdr.SorobanResources({
      footprint,
      instructions: changes.instructions ?? instructions,
      diskReadBytes,
      writeBytes,
    }),
    resourceFee: changes.resourceFee ?? resourceFee,
  })
}
