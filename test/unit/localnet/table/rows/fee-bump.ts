import { type Keypair, TransactionBuilder } from '@stellar/stellar-sdk'
import { passphrase } from '../../harness.ts'
import { alice, bob, dave, erin, missing, poor, UNIT, USD } from '../accounts.ts'
import { merge, muxed, options, pay } from '../operations.ts'
import { noResources, rawFeeBump, rawTx } from '../raw-envelopes.ts'
import { fails, rejected, rows, succeeds } from '../row.ts'
import {
  from,
  type Send,
  type Sending,
  sending,
  sendingOf,
  type Tx,
  transactionOf,
} from '../transaction.ts'

const payment = { operations: [pay(bob, '1')] }
const atRate200 = { ...payment, rate: 200n }
const paid = 'alice XLM -1, bob XLM +1'

interface Bump {
  /** @default erin */
  readonly payer?: Keypair
  readonly feeSource?: string
  readonly signers?: readonly Keypair[]
  /** Stroops for each operation, and one more. */
  readonly rate?: bigint
}

/** Pays for alice's payment to bob, or for another transaction. */
function bump(
  { payer = erin, feeSource, signers = [payer], rate = 100n }: Bump = {},
  inner: Partial<Tx> = {},
): Sending {
  const tx = { ...payment, ...inner }
  return feeBumpOf(tx, payer, (net) => {
    const envelope = TransactionBuilder.buildFeeBumpTransaction(
      feeSource ?? payer,
      rate.toString(),
      transactionOf(net, tx),
      passphrase,
    )
    for (const signer of signers) envelope.sign(signer)
    return envelope
  })
}

/** Bids any number of stroops in all. */
const bid = (stroops: bigint, inner: Send = payment, payer = erin): Sending =>
  feeBumpOf(sendingOf(inner), payer, async (net) =>
    rawFeeBump(net, await sendingOf(inner).build(net), { payer, bid: stroops }),
  )

const feeBumpOf = (
  inner: Pick<Tx, 'operations' | 'source'>,
  payer: Keypair,
  build: Sending['build'],
): Sending =>
  sending(inner, build, {
    payer,
    fee: 100n * BigInt(inner.operations.length + 1),
    feeBump: true,
  })

const withResources = rawTx({ ...payment, ext: noResources })
const authorizedByHash = sending(from(erin, options({})), async (net) => {
  const envelope = await bump({ signers: [] }).build(net)
  const bytes = envelope.toEnvelope().toXdr('base64')
  const hash = TransactionBuilder.fromXDR(bytes, passphrase).hash()
  const signer = { preAuthTx: Buffer.from(hash), weight: 1 }
  return transactionOf(net, from(erin, options({ signer })))
})
const setsHome = from(poor, options({ homeDomain: 'a.b' }))
const threshold2 = options({ lowThreshold: 2, medThreshold: 2, highThreshold: 2 })

const innerRejected = (codes: string, when: string, inner: Partial<Tx>) =>
  rejected(`txFeeBumpInnerFailed ${codes}`, when, bump({}, inner))

/** stellar-core, FeeBumpTransactionFrame. */
export const feeBumpRows = rows({
  'CAP-15': [
    succeeds('another account pays, for one operation more', bump(), paid),
    succeeds('the source pays for itself', bump({ payer: alice }), paid),
    succeeds('the receiver pays', bump({ payer: bob }), paid),
    succeeds('the inner transaction bids nothing', bump({}, { rate: 0n }), paid),
    succeeds('the inner source has nothing for the fee', bump({}, setsHome), {
      ledger: { poor: { balance: UNIT } },
      changes: 'poor home = a.b',
    }),
    fails(
      'ok NoDestination',
      'an inner operation fails',
      bump({}, from(alice, pay(bob, '1'), pay(missing, '1'))),
    ),
    succeeds('the rate is the inner rate', bid(400n, atRate200), paid),
    rejected('txInsufficientFee', 'the rate is below the inner rate', bid(399n, atRate200), {
      fee: 400n,
    }),
  ],
  'CAP-15: the inner transaction must be valid': [
    innerRejected('txBadSeq', 'its number is not the next', { sequenceOffset: 1n }),
    innerRejected('txBadAuth', 'it is not signed', { signers: [] }),
    innerRejected('txBadAuthExtra', 'it has a signature too many', { signers: [alice, dave] }),
    innerRejected('txNoAccount', 'its source is missing', { source: missing }),
    innerRejected('txTooLate', 'its time is over', {
      conditions: (it, net) => it.setTimebounds(0, net.latest.closeTime),
    }),
    rejected(
      'txFeeBumpInnerFailed txMissingOperation',
      'it has no operation',
      bid(100n, { operations: [] }),
    ),
    innerRejected('txFailed accountMergeMalformed', 'its operation is malformed', {
      operations: [merge(alice)],
    }),
  ],
  'FeeBumpTransactionFrame::getFee': [
    succeeds('it bids more than the base fee', bump({ rate: 5_000n }), paid),
  ],
  'CAP-27': succeeds('the payer is muxed', bump({ feeSource: muxed(erin, '9') }), paid),
  'FeeBumpTransactionFrame::XDRProvidesValidFee': [
    rejected('txMalformed', 'its fee is negative', bid(-1n), { fee: 0n }),
  ],
  'FeeBumpTransactionFrame::commonValidPreSeqNum': [
    rejected('txInsufficientFee', 'its fee is a stroop too low', bid(199n)),
    rejected('txInsufficientFee', 'fee too low and payer missing', bid(199n, payment, missing)),
    rejected('txNoAccount', 'the payer is missing', bump({ payer: missing })),
  ],
  'FeeBumpTransactionFrame::commonValid': [
    rejected('txBadAuth', 'the payer did not sign', bump({ signers: [alice] })),
    rejected('txInsufficientBalance', 'the bid is too high', bump({ payer: poor, rate: 5_001n })),
  ],
  'FeeBumpTransactionFrame::checkAllTransactionSignatures': [
    rejected('txBadAuth', 'the low threshold of the payer is not met', bump(), {
      given: from(erin, threshold2),
    }),
  ],
  'FeeBumpTransactionFrame::checkValid': [
    rejected('txBadAuthExtra', 'it has a signature too many', bump({ signers: [erin, dave] })),
    rejected(
      'txBadAuth',
      'the payer did not sign, and the inner number is not next',
      bump({ signers: [alice] }, { sequenceOffset: 1n }),
    ),
  ],
  'FeeBumpTransactionFrame::removeOneTimeSignerKeyFromFeeSource': [
    succeeds('a signer of the payer authorizes its hash, once', bump({ signers: [] }), {
      given: authorizedByHash,
      changes: `${paid}, erin subentries -1, erin signer by hash removed`,
    }),
  ],
  'FeeBumpTransactionFrame::processFeeSeqNum': [
    succeeds('the payer has its reserve and the fee', bump({ payer: poor }), {
      ledger: { poor: { balance: UNIT + 200n } },
      changes: paid,
    }),
  ],
  'TransactionQueue::tryAdd': [
    rejected('txMalformed', 'the inner payment has Soroban resources', bid(200n, withResources), {
      fee: 0n,
    }),
  ],
  'FeeBumpTransactionFrame::apply': [
    succeeds('the inner payment is in USD', bump({}, { operations: [pay(bob, '5', USD)] }), {
      changes: 'alice USD -5, bob USD +5',
    }),
  ],
})
