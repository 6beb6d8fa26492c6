import { TransactionBuilder } from '@stellar/stellar-sdk'
import type { Localnet } from '../../../../../src/localnet/network.ts'
import { passphrase } from '../../harness.ts'
import { alice, bob, dave, erin, nobody, OWN, poor, UNIT, XLM } from '../people.ts'
import type { Envelope, Parts, Row } from '../row.ts'
import { bumpAtAnyFee, noResources, unchecked } from '../unchecked.ts'
import { merge, muxed, options, pay } from '../words.ts'
import { transactionOf } from '../world.ts'

const operations = [pay(bob, '1', XLM)]
const paid = { 'alice XLM': -UNIT, 'bob XLM': UNIT } as const
const good = 'txFeeBumpInnerSuccess txSuccess paymentSuccess'

interface Bump {
  readonly inner?: Partial<Parts>
  readonly payer?: typeof alice
  readonly feeSource?: string
  readonly signers?: readonly (typeof alice)[]
  /** Stroops for each operation, and one more. */
  readonly rate?: bigint
}

/** Erin pays for Alice's payment to Bob. */
const bump =
  ({ inner = {}, payer = erin, feeSource, signers = [payer], rate = 100n }: Bump = {}) =>
  (net: Localnet): Envelope => {
    const envelope = TransactionBuilder.buildFeeBumpTransaction(
      feeSource ?? payer,
      rate.toString(),
      transactionOf(net, { operations, ...inner }),
      passphrase,
    )
    for (const signer of signers) envelope.sign(signer)
    return envelope
  }

const anyFee =
  (fee: bigint, { inner = {}, payer = erin }: Bump = {}) =>
  (net: Localnet): Envelope =>
    bumpAtAnyFee(net, { inner: transactionOf(net, { operations, ...inner }), payer, fee })

/** stellar-core, FeeBumpTransactionFrame. */
export const feeBumpRows: readonly Row[] = [
  {
    rule: 'CAP-15: a fee bump counts as one operation more',
    when: 'somebody else pays',
    send: bump(),
    payer: erin,
    fee: 200n,
    codes: good,
    changes: paid,
  },
  {
    rule: 'FeeBumpTransactionFrame::getFee: no more than the base fee while there is room',
    when: 'somebody else bids much more',
    send: bump({ rate: 5_000n }),
    payer: erin,
    fee: 200n,
    codes: good,
    changes: paid,
  },
  {
    rule: 'CAP-15: the source may pay for itself',
    when: 'the source pays for itself',
    send: bump({ payer: alice }),
    payer: alice,
    fee: 200n,
    codes: good,
    changes: paid,
  },
  {
    rule: 'CAP-15: the payer may be anybody in the transaction',
    when: 'the receiver pays',
    send: bump({ payer: bob }),
    payer: bob,
    fee: 200n,
    codes: good,
    changes: paid,
  },
  {
    rule: 'CAP-27: a muxed payer stands for its account',
    when: 'the payer is muxed',
    send: bump({ feeSource: muxed(erin, '9') }),
    payer: erin,
    fee: 200n,
    codes: good,
    changes: paid,
  },
  {
    rule: 'CAP-15: the transaction inside need not bid',
    when: 'the transaction inside bids nothing',
    send: bump({ inner: { rate: 0n } }),
    payer: erin,
    fee: 200n,
    codes: good,
    changes: paid,
  },
  {
    rule: 'CAP-15: the source inside needs nothing for the fee',
    when: 'the source inside has nothing to spare',
    doctored: [{ who: poor, balance: UNIT }],
    send: bump({ inner: { source: poor, operations: [options({ homeDomain: 'a.b' })] } }),
    source: poor,
    payer: erin,
    fee: 200n,
    codes: 'txFeeBumpInnerSuccess txSuccess setOptionsSuccess',
    changes: { 'poor home': 'a.b' },
  },
  {
    rule: 'CAP-15: the payer pays for what fails too',
    when: 'an operation inside fails',
    send: bump({ inner: { operations: [...operations, pay(nobody, '1', XLM)] } }),
    payer: erin,
    fee: 300n,
    codes: 'txFeeBumpInnerFailed txFailed paymentSuccess paymentNoDestination',
  },
  {
    rule: 'FeeBumpTransactionFrame::commonValidPreSeqNum',
    when: 'a stroop is missing',
    send: anyFee(199n),
    fee: 200n,
    codes: 'ERROR txInsufficientFee',
  },
  {
    rule: 'CAP-15: the rate is no lower than that inside; what would do is told',
    when: 'its rate is below that inside',
    send: anyFee(399n, { inner: { rate: 200n } }),
    fee: 400n,
    codes: 'ERROR txInsufficientFee',
  },
  {
    rule: 'CAP-15: the rate is no lower than that inside',
    when: 'its rate is that inside',
    send: anyFee(400n, { inner: { rate: 200n } }),
    payer: erin,
    fee: 200n,
    codes: good,
    changes: paid,
  },
  {
    rule: 'FeeBumpTransactionFrame::XDRProvidesValidFee: no fee is negative',
    when: 'its fee is below zero',
    send: anyFee(-1n),
    fee: 0n,
    codes: 'ERROR txMalformed',
  },
  {
    rule: 'FeeBumpTransactionFrame::commonValidPreSeqNum',
    when: 'nobody is there to pay',
    send: bump({ payer: nobody }),
    fee: 200n,
    codes: 'ERROR txNoAccount',
  },
  {
    rule: 'FeeBumpTransactionFrame::commonValidPreSeqNum: the fee is told before the payer',
    when: 'it bids too little, and nobody is there to pay',
    send: anyFee(199n, { payer: nobody }),
    fee: 200n,
    codes: 'ERROR txInsufficientFee',
  },
  {
    rule: 'FeeBumpTransactionFrame::commonValid',
    when: 'the payer did not sign',
    send: bump({ signers: [alice] }),
    fee: 200n,
    codes: 'ERROR txBadAuth',
  },
  {
    rule: 'FeeBumpTransactionFrame::checkAllTransactionSignatures: the low threshold of the payer',
    when: 'the payer has not signed enough',
    given: [
      {
        source: erin,
        operations: [options({ lowThreshold: 2, medThreshold: 2, highThreshold: 2 })],
      },
    ],
    send: bump(),
    fee: 200n,
    codes: 'ERROR txBadAuth',
  },
  {
    rule: 'FeeBumpTransactionFrame::commonValid: the whole bid must be there',
    when: 'the payer could pay the fee but not its bid',
    send: bump({ payer: poor, rate: 5_001n }),
    fee: 200n,
    codes: 'ERROR txInsufficientBalance',
  },
  {
    rule: 'FeeBumpTransactionFrame::checkValid: no signature for nothing',
    when: 'somebody signed the fee bump for nothing',
    send: bump({ signers: [erin, dave] }),
    fee: 200n,
    codes: 'ERROR txBadAuthExtra',
  },
  {
    rule: 'FeeBumpTransactionFrame::checkValid: the payer is told before what is inside',
    when: 'the payer did not sign, and what is inside is not next',
    send: bump({ signers: [alice], inner: { sequenceOffset: 1n } }),
    fee: 200n,
    codes: 'ERROR txBadAuth',
  },
  {
    rule: 'CAP-15: what is inside must be valid',
    when: 'what is inside is not next',
    send: bump({ inner: { sequenceOffset: 1n } }),
    fee: 200n,
    codes: 'ERROR txFeeBumpInnerFailed txBadSeq',
  },
  {
    rule: 'CAP-15: what is inside must be valid',
    when: 'nobody signed inside',
    send: bump({ inner: { signers: [] } }),
    fee: 200n,
    codes: 'ERROR txFeeBumpInnerFailed txBadAuth',
  },
  {
    rule: 'CAP-15: what is inside must be valid',
    when: 'somebody signed inside for nothing',
    send: bump({ inner: { signers: [alice, dave] } }),
    fee: 200n,
    codes: 'ERROR txFeeBumpInnerFailed txBadAuthExtra',
  },
  {
    rule: 'CAP-15: what is inside must be valid',
    when: 'the source inside does not exist',
    send: bump({ inner: { source: nobody } }),
    fee: 200n,
    codes: 'ERROR txFeeBumpInnerFailed txNoAccount',
  },
  {
    rule: 'CAP-15: what is inside must be valid',
    when: 'it is late inside',
    send: bump({ inner: { conditions: (it, net) => it.setTimebounds(0, net.latest.closeTime) } }),
    fee: 200n,
    codes: 'ERROR txFeeBumpInnerFailed txTooLate',
  },
  {
    rule: 'CAP-15: what is inside must be valid',
    when: 'there is no operation inside',
    send: anyFee(100n, { inner: { operations: [] } }),
    fee: 100n,
    codes: 'ERROR txFeeBumpInnerFailed txMissingOperation',
  },
  {
    rule: 'CAP-15: what is inside must be valid',
    when: 'an operation inside makes no sense',
    send: bump({ inner: { operations: [merge(alice)] } }),
    fee: 200n,
    codes: 'ERROR txFeeBumpInnerFailed txFailed accountMergeMalformed',
  },
  {
    rule: 'FeeBumpTransactionFrame::removeOneTimeSignerKeyFromFeeSource: a hash pays once',
    when: 'the payer authorized it by its hash',
    given: [
      (net) => {
        const later = bump({ signers: [] })(net)
        const envelope = TransactionBuilder.fromXDR(later.toEnvelope().toXdr('base64'), passphrase)
        const set = { signer: { preAuthTx: Buffer.from(envelope.hash()), weight: 1 } }
        return transactionOf(net, { source: erin, operations: [options(set)] })
      },
    ],
    send: bump({ signers: [] }),
    payer: erin,
    fee: 200n,
    codes: good,
    changes: { ...paid, 'erin subentries': -1n, 'erin signer by hash': '' },
  },
  {
    rule: 'FeeBumpTransactionFrame::processFeeSeqNum: down to the reserve',
    when: 'the payer pays with everything above its reserve',
    doctored: [{ who: poor, balance: UNIT + 200n }],
    send: bump({ payer: poor }),
    payer: poor,
    fee: 200n,
    codes: good,
    changes: paid,
  },
  {
    rule: 'TransactionQueue::tryAdd: only Soroban transactions declare resources',
    when: 'a payment inside declares resources',
    send: (net) =>
      bumpAtAnyFee(net, {
        inner: unchecked(net, { operations, ext: noResources() }),
        payer: erin,
        fee: 200n,
      }),
    fee: 0n,
    codes: 'ERROR txMalformed',
  },
  {
    rule: 'FeeBumpTransactionFrame::apply: credit inside moves as it would outside',
    when: 'credit is paid inside',
    send: bump({ inner: { operations: [pay(bob, '5', OWN)] } }),
    payer: erin,
    fee: 200n,
    codes: good,
    changes: { 'alice OWN': -5n * UNIT, 'bob OWN': 5n * UNIT },
  },
]
