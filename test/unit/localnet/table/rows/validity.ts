import { Operation, xdr } from '@stellar/stellar-sdk'
import type { Localnet } from '../../../../../src/localnet/network.ts'
import { addressOf, alice, bob, dave, nobody, poor, UNIT, XLM } from '../people.ts'
import type { Parts, Row } from '../row.ts'
import { asVersion0, noResources, unchecked } from '../unchecked.ts'
import { data, merge, options, pay } from '../words.ts'

const operations = [pay(bob, '1', XLM)]
const paid = { 'alice XLM': -UNIT, 'bob XLM': UNIT } as const
type Conditions = NonNullable<Parts['conditions']>

/** Alice pays Bob one lumen, on these conditions. */
const when = (conditions: Conditions): Parts => ({ operations, conditions })
const closed = (net: Localnet): number => net.latest.closeTime
const next = (net: Localnet): number => net.latest.sequence + 1
const bounds =
  (min: number, max: number): Conditions =>
  (it, net) =>
    it.setTimebounds(min && closed(net) + min, max && closed(net) + max)
const ledgers =
  (min: number, max: number): Conditions =>
  (it, net) =>
    it.setTimeout(0).setLedgerbounds(min && next(net) + min - 1, max && next(net) + max - 1)

/** Dave's number was used in the ledger before the last. */
const justUsed: Row['given'] = [{ source: dave, operations: [data('a', 'b')] }]
const rested = (conditions: Conditions): Parts => ({ source: dave, operations, conditions })

/** stellar-core, TransactionFrame::commonValid: the first problem is the one told. */
export const validityRows: readonly Row[] = [
  {
    rule: 'TransactionFrame::isTooLate: seen from when it could be taken, two ledgers from now',
    when: 'it outlives two ledgers',
    send: when(bounds(0, 10)),
    codes: 'txSuccess paymentSuccess',
    changes: paid,
  },
  {
    rule: 'TransactionFrame::isTooLate: seen from when it could be taken, two ledgers from now',
    when: 'it does not outlive two ledgers',
    send: when(bounds(0, 9)),
    codes: 'ERROR txTooLate',
  },
  {
    rule: 'TransactionFrame::isTooEarly: seen from the last ledger',
    when: 'its time came with the last ledger',
    send: when((it, net) => it.setTimebounds(closed(net), 0)),
    codes: 'txSuccess paymentSuccess',
    changes: paid,
  },
  {
    rule: 'TransactionFrame::isTooEarly: seen from the last ledger',
    when: 'its time comes a second after the last ledger',
    send: when(bounds(1, 0)),
    codes: 'ERROR txTooEarly',
  },
  {
    rule: 'TransactionFrame::commonValidPreSeqNum: early is told before late',
    when: 'its time ends before it begins',
    send: (net) =>
      unchecked(net, {
        operations,
        conditions: xdr.Preconditions.precondTime(
          new xdr.TimeBounds({ minTime: BigInt(closed(net) + 9), maxTime: 5n }),
        ),
      }),
    fee: 100n,
    codes: 'ERROR txTooEarly',
  },
  {
    rule: 'CAP-21: ledger bounds, the lower one included',
    when: 'its first ledger is the next',
    send: when(ledgers(1, 0)),
    codes: 'txSuccess paymentSuccess',
    changes: paid,
  },
  {
    rule: 'CAP-21: ledger bounds, the lower one included',
    when: 'its first ledger is the one after the next',
    send: when(ledgers(2, 0)),
    codes: 'ERROR txTooEarly',
  },
  {
    rule: 'CAP-21: ledger bounds, the upper one excluded',
    when: 'its last ledger is the next',
    send: when(ledgers(0, 2)),
    codes: 'txSuccess paymentSuccess',
    changes: paid,
  },
  {
    rule: 'CAP-21: ledger bounds, the upper one excluded',
    when: 'it ends before the next ledger',
    send: when(ledgers(0, 1)),
    codes: 'ERROR txTooLate',
  },
  {
    rule: 'TransactionFrame::isBadSeq: one by one',
    when: 'it skips a number',
    send: { operations, sequenceOffset: 1n },
    codes: 'ERROR txBadSeq',
  },
  {
    rule: 'TransactionFrame::isBadSeq: one by one',
    when: 'its number is used up',
    send: { operations, sequenceOffset: -1n },
    codes: 'ERROR txBadSeq',
  },
  {
    rule: 'CAP-21: minSeqNum allows a jump',
    when: 'it jumps over numbers from where it may',
    send: {
      ...when((it) => it.setTimeout(0).setMinAccountSequence('0')),
      sequenceOffset: 41n,
    },
    codes: 'txSuccess paymentSuccess',
    changes: { ...paid, 'alice sequence': 41n },
  },
  {
    rule: 'CAP-21: not from below minSeqNum',
    when: 'it jumps from further back than it may',
    send: {
      ...when((it, net) =>
        it.setTimeout(0).setMinAccountSequence((BigInt(net.latest.sequence) << 33n).toString()),
      ),
      sequenceOffset: 41n,
    },
    codes: 'ERROR txBadSeq',
  },
  {
    rule: 'CAP-21: minSeqNum does not allow to go back',
    when: 'it would use a number again, whatever it says',
    send: { ...when((it) => it.setTimeout(0).setMinAccountSequence('0')), sequenceOffset: -1n },
    codes: 'ERROR txBadSeq',
  },
  {
    rule: 'TransactionFrame::isBadSeq: not the number that new accounts begin with',
    when: 'its number is the first of the next ledger',
    send: (net) =>
      unchecked(net, {
        operations,
        sequence: BigInt(next(net)) << 32n,
        conditions: xdr.Preconditions.precondV2(
          new xdr.PreconditionsV2({
            timeBounds: null,
            ledgerBounds: null,
            minSeqNum: 0n,
            minSeqAge: 0n,
            minSeqLedgerGap: 0,
            extraSigners: [],
          }),
        ),
      }),
    fee: 100n,
    codes: 'ERROR txBadSeq',
  },
  {
    rule: 'CAP-21: minSeqAge, seen from the last ledger',
    when: 'the number has rested for as long as it should',
    given: justUsed,
    send: rested((it) => it.setTimeout(0).setMinAccountSequenceAge(1n)),
    codes: 'txSuccess paymentSuccess',
    changes: { 'dave XLM': -UNIT, 'bob XLM': UNIT },
  },
  {
    rule: 'CAP-21: minSeqAge, seen from the last ledger',
    when: 'the number has rested a second less',
    given: justUsed,
    send: rested((it) => it.setTimeout(0).setMinAccountSequenceAge(2n)),
    codes: 'ERROR txBadMinSeqAgeOrGap',
  },
  {
    rule: 'CAP-21: minSeqLedgerGap, seen from the next ledger',
    when: 'the number has rested for as many ledgers as it should',
    given: justUsed,
    send: rested((it) => it.setTimeout(0).setMinAccountSequenceLedgerGap(2)),
    codes: 'txSuccess paymentSuccess',
    changes: { 'dave XLM': -UNIT, 'bob XLM': UNIT },
  },
  {
    rule: 'CAP-21: minSeqLedgerGap, seen from the next ledger',
    when: 'the number has rested a ledger less',
    given: justUsed,
    send: rested((it) => it.setTimeout(0).setMinAccountSequenceLedgerGap(3)),
    codes: 'ERROR txBadMinSeqAgeOrGap',
  },
  {
    rule: 'CAP-21: bumping a number ends its rest, even where it stays',
    when: 'the number was told to stay where it is',
    given: [
      {
        source: bob,
        operations: [Operation.bumpSequence({ bumpTo: '0', source: addressOf(dave) })],
        signers: [bob, dave],
      },
    ],
    send: rested((it) => it.setTimeout(0).setMinAccountSequenceLedgerGap(3)),
    codes: 'ERROR txBadMinSeqAgeOrGap',
  },
  {
    rule: 'TransactionFrame::commonValidPreSeqNum',
    when: 'there is no operation',
    send: { operations: [] },
    fee: 100n,
    codes: 'ERROR txMissingOperation',
  },
  {
    rule: 'TransactionFrame::commonValidPreSeqNum: the base fee for each operation',
    when: 'a stroop is missing',
    send: (net) => unchecked(net, { operations: [...operations, ...operations], fee: 199 }),
    fee: 200n,
    codes: 'ERROR txInsufficientFee',
  },
  {
    rule: 'TransactionFrame::getFee: no more than the base fee while there is room',
    when: 'it bids much more',
    send: { operations, rate: 5_000n },
    fee: 100n,
    codes: 'txSuccess paymentSuccess',
    changes: paid,
  },
  {
    rule: 'TransactionFrame::commonValidPreSeqNum',
    when: 'the source does not exist',
    send: { operations, source: nobody },
    codes: 'ERROR txNoAccount',
  },
  {
    rule: 'TransactionFrame::commonValid: the whole bid must be there, whatever it will cost',
    when: 'the source could pay the fee but not its bid',
    send: { operations, source: poor, rate: 10_001n },
    codes: 'ERROR txInsufficientBalance',
  },
  {
    rule: 'TransactionFrame::commonValid: all that is above the reserve',
    when: 'the source can just pay its bid',
    send: { operations: [merge(alice)], source: poor, rate: 10_000n },
    fee: 100n,
    codes: 'txSuccess accountMergeSuccess',
    changes: {
      'poor exists': -1n,
      'poor thresholds': '',
      'poor XLM': -UNIT - 9_900n,
      'alice XLM': UNIT + 9_900n,
    },
  },
  {
    rule: 'TransactionQueue::tryAdd: only Soroban transactions declare resources',
    when: 'a payment declares resources',
    send: (net) => unchecked(net, { operations, ext: noResources() }),
    fee: 0n,
    codes: 'ERROR txMalformed',
  },
  {
    rule: 'CommandHandler::tx convertForV13: the old envelope is taken for the new one',
    when: 'it comes in an envelope of version 0',
    send: (net) => asVersion0(unchecked(net, { operations })),
    fee: 100n,
    codes: 'txSuccess paymentSuccess',
    changes: paid,
  },
  {
    rule: 'commonValidPreSeqNum: time is told before the fee',
    when: 'it is late and bids too little',
    send: (net) =>
      unchecked(net, {
        operations,
        fee: 1,
        conditions: xdr.Preconditions.precondTime(new xdr.TimeBounds({ minTime: 0n, maxTime: 5n })),
      }),
    fee: 100n,
    codes: 'ERROR txTooLate',
  },
  {
    rule: 'commonValidPreSeqNum: the fee is told before the source',
    when: 'it bids too little for a source that does not exist',
    send: (net) => unchecked(net, { operations, source: nobody, fee: 1 }),
    fee: 100n,
    codes: 'ERROR txInsufficientFee',
  },
  {
    rule: 'commonValid: the number is told before its rest',
    when: 'it skips a number, and asks for rest',
    given: justUsed,
    send: {
      ...rested((it) => it.setTimeout(0).setMinAccountSequenceLedgerGap(9)),
      sequenceOffset: 1n,
    },
    codes: 'ERROR txBadSeq',
  },
  {
    rule: 'commonValid: rest is told before signatures',
    when: 'it asks for rest, and nobody signed',
    given: justUsed,
    send: {
      ...rested((it) => it.setTimeout(0).setMinAccountSequenceLedgerGap(9)),
      signers: [],
    },
    codes: 'ERROR txBadMinSeqAgeOrGap',
  },
  {
    rule: 'commonValid: signatures are told before the balance',
    when: 'nobody signed for a source that cannot pay',
    send: { operations, source: poor, rate: 10_001n, signers: [] },
    codes: 'ERROR txBadAuth',
  },
  {
    rule: 'checkValidWithOptionallyChargedFee: the balance is told before operations',
    when: 'the source cannot pay, and its operation makes no sense',
    send: { operations: [merge(poor)], source: poor, rate: 10_001n },
    codes: 'ERROR txInsufficientBalance',
  },
  {
    rule: 'checkValidWithOptionallyChargedFee: operations are told before signatures too many',
    when: 'an operation makes no sense, and somebody signed for nothing',
    send: { operations: [merge(alice)], signers: [alice, dave] },
    codes: 'ERROR txFailed accountMergeMalformed',
  },
  {
    rule: 'OperationFrame::checkValid: signatures of an operation are told before its sense',
    when: 'an operation makes no sense, and its source did not sign',
    send: { operations: [merge(bob, bob)] },
    codes: 'ERROR txFailed opBadAuth',
  },
  {
    rule: 'checkValidWithOptionallyChargedFee: only the first bad operation is told',
    when: 'two operations make no sense',
    send: { operations: [...operations, merge(alice), options({ setFlags: 1, clearFlags: 1 })] },
    codes: 'ERROR txFailed paymentSuccess accountMergeMalformed setOptionsSuccess',
  },
  {
    rule: 'what this network leaves out, it does not support',
    when: 'it has an operation that is left out',
    send: { operations: [...operations, Operation.inflation({})] },
    codes: 'ERROR txFailed paymentSuccess opNotSupported',
  },
  {
    rule: 'OperationFrame::checkSignature: an account yet to be made signs with its key',
    when: 'the source of an operation does not exist, and signed',
    send: { operations: [pay(bob, '1', XLM, nobody)], signers: [alice, nobody] },
    codes: 'txFailed opNoAccount',
  },
  {
    rule: 'OperationFrame::checkSignature: an account yet to be made signs with its key',
    when: 'the source of an operation does not exist, and did not sign',
    send: { operations: [pay(bob, '1', XLM, nobody)] },
    codes: 'ERROR txFailed opBadAuth',
  },
  {
    rule: 'TransactionFrame::applyOperations: all or nothing, and every operation is told',
    when: 'an operation in the middle fails',
    send: { operations: [...operations, pay(nobody, '1', XLM), ...operations] },
    codes: 'txFailed paymentSuccess paymentNoDestination paymentSuccess',
  },
]
