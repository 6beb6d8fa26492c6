import { Operation, xdr } from '@stellar/stellar-sdk'
import type { Localnet } from '../../../../../src/localnet/network.ts'
import { alice, bob, dave, missing, poor, XLM } from '../accounts.ts'
import { bumpTo, data, merge, options, pay } from '../operations.ts'
import { noResources, preconditions, rawTx, version0 } from '../raw-envelopes.ts'
import { fails, rejected, rows, succeeds } from '../row.ts'
import { from, signedBy, type Tx } from '../transaction.ts'

const payment = { operations: [pay(bob, '1')] }
const twoPayments = [pay(bob, '1'), pay(bob, '1')]
const paid = 'alice XLM -1, bob XLM +1'
const davePaid = 'dave XLM -1, bob XLM +1'
type Conditions = NonNullable<Tx['conditions']>

const paysWhen = (conditions: Conditions): Tx => ({ ...payment, conditions })
const closed = (net: Localnet): number => net.latest.closeTime
const next = (net: Localnet): number => net.latest.sequence + 1

/** Seconds after the last close; 0 for no bound. */
const time = (min: number, max: number): Tx =>
  paysWhen((it, net) => it.setTimebounds(min && closed(net) + min, max && closed(net) + max))
/** 1 is the next ledger; 0 is no bound. */
const ledgers = (min: number, max: number): Tx =>
  paysWhen((it, net) =>
    it.setTimeout(0).setLedgerbounds(min && next(net) + min - 1, max && next(net) + max - 1),
  )
const fromLastLedger = paysWhen((it, net) => it.setTimebounds(closed(net), 0))
const minSequence = (least: Conditions, sequenceOffset: bigint): Tx => ({
  ...paysWhen(least),
  sequenceOffset,
})
const fromZero: Conditions = (it) => it.setTimeout(0).setMinAccountSequence('0')
const fromAhead: Conditions = (it, net) =>
  it.setTimeout(0).setMinAccountSequence((BigInt(net.latest.sequence) << 33n).toString())

/** dave uses a number in the last ledger but one. */
const recentlyUsed = { given: from(dave, data('a', 'b')) }
const afterSeconds = (age: bigint): Tx => ({
  ...paysWhen((it) => it.setTimeout(0).setMinAccountSequenceAge(age)),
  source: dave,
})
const afterLedgers = (gap: number): Tx => ({
  ...paysWhen((it) => it.setTimeout(0).setMinAccountSequenceLedgerGap(gap)),
  source: dave,
})

const timeBounds = (minTime: bigint, maxTime: bigint) =>
  xdr.Preconditions.precondTime(new xdr.TimeBounds({ minTime, maxTime }))
const endsBeforeStart = rawTx({
  ...payment,
  conditions: (net) => timeBounds(BigInt(closed(net) + 9), 5n),
})
const lateAndCheap = rawTx({ ...payment, bid: 1, conditions: () => timeBounds(0n, 5n) })
const cheapWithoutSource = rawTx({ ...payment, source: missing, bid: 1 })
const anySequence = rawTx({
  ...payment,
  sequence: (net) => BigInt(next(net)) << 32n,
  conditions: () => preconditions({ minSeqNum: 0n }),
})

/** stellar-core, TransactionFrame::commonValid: the result names the first problem. */
export const validityRows = rows({
  // A transaction may wait for two ledgers of five seconds.
  'TransactionFrame::isTooLate': [
    succeeds('its time ends ten seconds after the last ledger', time(0, 10), paid),
    rejected('txTooLate', 'its time ends nine seconds after the last ledger', time(0, 9)),
  ],
  'TransactionFrame::isTooEarly': [
    succeeds('its time starts with the last ledger', fromLastLedger, paid),
    rejected('txTooEarly', 'its time starts a second after the last ledger', time(1, 0)),
  ],
  'CAP-21: ledger bounds': [
    succeeds('its first ledger is the next', ledgers(1, 0), paid),
    rejected('txTooEarly', 'its first ledger is the one after the next', ledgers(2, 0)),
    succeeds('its bounds end after the next ledger', ledgers(0, 2), paid),
    rejected('txTooLate', 'its bounds end before the next ledger', ledgers(0, 1)),
  ],
  'TransactionFrame::isBadSeq': [
    rejected('txBadSeq', 'it skips a number', { ...payment, sequenceOffset: 1n }),
    rejected('txBadSeq', 'its number is used', { ...payment, sequenceOffset: -1n }),
    rejected('txBadSeq', 'new accounts of the next ledger start at its number', anySequence),
  ],
  'CAP-21: minSeqNum': [
    succeeds('it skips numbers, from the lowest that it allows', minSequence(fromZero, 41n), {
      changes: `${paid}, alice sequence +41`,
    }),
    rejected('txBadSeq', 'the number is below the lowest allowed', minSequence(fromAhead, 41n)),
    rejected('txBadSeq', 'its number is used, and any is allowed', minSequence(fromZero, -1n)),
  ],
  'CAP-21: minSeqAge, at the last ledger': [
    succeeds('its number is old enough', afterSeconds(1n), { ...recentlyUsed, changes: davePaid }),
    rejected(
      'txBadMinSeqAgeOrGap',
      'its number is a second too young',
      afterSeconds(2n),
      recentlyUsed,
    ),
  ],
  'CAP-21: minSeqLedgerGap, at the next ledger': [
    succeeds('the gap is wide enough', afterLedgers(2), { ...recentlyUsed, changes: davePaid }),
    rejected('txBadMinSeqAgeOrGap', 'the gap is a ledger short', afterLedgers(3), recentlyUsed),
    rejected('txBadMinSeqAgeOrGap', 'BumpSequence named a past number', afterLedgers(3), {
      given: from(bob, bumpTo(0n, dave)),
    }),
  ],
  'TransactionFrame::commonValidPreSeqNum': [
    rejected('txMissingOperation', 'it has no operation', [], { fee: 100n }),
    rejected(
      'txInsufficientFee',
      'a stroop is missing',
      rawTx({ operations: twoPayments, bid: 199 }),
    ),
    rejected('txNoAccount', 'the source is missing', { ...payment, source: missing }),
    rejected('txTooEarly', 'its time ends before it starts', endsBeforeStart),
    rejected('txTooLate', 'its time is over and its bid too low', lateAndCheap),
    rejected('txInsufficientFee', 'the bid is too low, and the source missing', cheapWithoutSource),
  ],
  'TransactionFrame::getFee': [
    succeeds('it bids more than the base fee', { ...payment, rate: 5_000n }, paid),
  ],
  'TransactionFrame::commonValid': [
    rejected('txInsufficientBalance', 'the source has the fee, and less than its bid', {
      ...payment,
      source: poor,
      rate: 10_001n,
    }),
    succeeds(
      'the source has its reserve and its bid',
      { operations: [merge(alice)], source: poor, rate: 10_000n },
      'poor account -1, poor thresholds removed, poor XLM -1.00099, alice XLM +1.00099',
    ),
    rejected(
      'txBadSeq',
      'it skips a number, and the gap is short',
      { ...afterLedgers(9), sequenceOffset: 1n },
      recentlyUsed,
    ),
    rejected(
      'txBadMinSeqAgeOrGap',
      'the gap is short, and it is not signed',
      { ...afterLedgers(9), signers: [] },
      recentlyUsed,
    ),
    rejected('txBadAuth', 'it is not signed, and the source cannot pay', {
      ...payment,
      source: poor,
      rate: 10_001n,
      signers: [],
    }),
  ],
  'TransactionQueue::tryAdd': [
    rejected(
      'txMalformed',
      'a payment has Soroban resources',
      rawTx({ ...payment, ext: noResources }),
      { fee: 0n },
    ),
  ],
  'CommandHandler::tx convertForV13': [
    succeeds('its envelope has version 0', version0(rawTx(payment)), paid),
  ],
  checkValidWithOptionallyChargedFee: [
    rejected('txInsufficientBalance', 'the source cannot pay, and its operation is malformed', {
      operations: [merge(poor)],
      source: poor,
      rate: 10_001n,
    }),
    rejected(
      'Malformed',
      'it is malformed, with a signature too many',
      signedBy([alice, dave], merge(alice)),
    ),
    rejected('ok Malformed ok', 'two operations are malformed', [
      pay(bob, '1'),
      merge(alice),
      options({ setFlags: 1, clearFlags: 1 }),
    ]),
  ],
  'OperationFrame::checkValid': [
    rejected(
      'opBadAuth',
      'it is malformed, and its source did not sign',
      signedBy([alice], merge(bob, bob)),
    ),
    rejected('ok opNotSupported', 'the localnet leaves an operation out', [
      pay(bob, '1'),
      Operation.inflation({}),
    ]),
  ],
  'OperationFrame::checkSignature': [
    fails(
      'opNoAccount',
      'its source is missing, and signed with its key',
      pay(bob, '1', XLM, missing),
    ),
    rejected(
      'opBadAuth',
      'its source is missing, and did not sign',
      signedBy([alice], pay(bob, '1', XLM, missing)),
    ),
  ],
  'TransactionFrame::applyOperations': fails('ok NoDestination ok', 'one fails: all are undone', [
    pay(bob, '1'),
    pay(missing, '1'),
    pay(bob, '1'),
  ]),
})
