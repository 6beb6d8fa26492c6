import { Operation } from '@stellar/stellar-sdk'
import {
  addressOf,
  alice,
  bob,
  carol,
  dave,
  erin,
  newcomer,
  nobody,
  OWN,
  poor,
  UNIT,
  XLM,
} from '../people.ts'
import type { Row } from '../row.ts'
import { begin, data, end, merge, options, trust } from '../words.ts'

const began = 'beginSponsoringFutureReservesSuccess'
const ended = 'endSponsoringFutureReservesSuccess'

/** stellar-core, BeginSponsoringFutureReservesOpFrame and EndSponsoringFutureReservesOpFrame. */
export const sponsoringRows: readonly Row[] = [
  {
    rule: 'CAP-33: a sponsorship that nothing came of',
    when: 'it begins and ends',
    send: { operations: [begin(bob), end(bob)], signers: [alice, bob] },
    codes: `txSuccess ${began} ${ended}`,
  },
  {
    rule: 'BeginSponsoringFutureReservesOpFrame::doCheckValid',
    when: 'somebody would sponsor themselves',
    send: { operations: [begin(alice), end(alice)] },
    codes: `ERROR txFailed beginSponsoringFutureReservesMalformed ${ended}`,
  },
  {
    rule: 'applyOperations hasSponsorshipEntry: every sponsorship must be ended',
    when: 'it is never ended',
    send: { operations: [begin(bob)] },
    codes: 'txBadSponsorship',
  },
  {
    rule: 'applyOperations hasSponsorshipEntry: what was made meanwhile is undone',
    when: 'it is never ended, and a line was opened',
    send: { operations: [begin(dave), trust(OWN, '1000', dave)], signers: [alice, dave] },
    codes: 'txBadSponsorship',
  },
  {
    rule: 'BeginSponsoringFutureReservesOpFrame::doApply',
    when: 'somebody is sponsored already',
    send: {
      operations: [begin(bob), begin(bob, carol), end(bob)],
      signers: [alice, bob, carol],
    },
    codes: `txFailed ${began} beginSponsoringFutureReservesAlreadySponsored ${ended}`,
  },
  {
    rule: 'BeginSponsoringFutureReservesOpFrame::doApply: the sponsored sponsors nobody',
    when: 'the sponsored would sponsor in turn',
    send: { operations: [begin(bob), begin(carol, bob), end(bob)], signers: [alice, bob] },
    codes: `txFailed ${began} beginSponsoringFutureReservesRecursive ${ended}`,
  },
  {
    rule: 'BeginSponsoringFutureReservesOpFrame::doApply: a sponsor is sponsored by nobody',
    when: 'the sponsor would be sponsored',
    send: {
      operations: [begin(bob), begin(alice, carol), end(bob)],
      signers: [alice, bob, carol],
    },
    codes: `txFailed ${began} beginSponsoringFutureReservesRecursive ${ended}`,
  },
  {
    rule: 'BeginSponsoringFutureReservesOpFrame::doApply: being sponsored already is told first',
    when: 'somebody would be sponsored twice, by one who is sponsored',
    send: {
      operations: [begin(bob), begin(carol), begin(bob, carol), end(bob), end(carol)],
      signers: [alice, bob, carol],
    },
    codes: `txFailed ${began} ${began} beginSponsoringFutureReservesAlreadySponsored ${ended} ${ended}`,
  },
  {
    rule: 'CAP-33: one may sponsor many',
    when: 'two are sponsored at once',
    send: {
      operations: [
        begin(bob, erin),
        begin(poor, erin),
        data('a', 'b', bob),
        data('a', 'b', poor),
        end(bob),
        end(poor),
      ],
      signers: [alice, bob, erin, poor],
    },
    codes: `txSuccess ${began} ${began} manageDataSuccess manageDataSuccess ${ended} ${ended}`,
    changes: {
      'bob data a': 'b held by erin',
      'bob subentries': 1n,
      'bob sponsored': 1n,
      'poor data a': 'b held by erin',
      'poor subentries': 1n,
      'poor sponsored': 1n,
      'erin sponsoring': 2n,
    },
  },
  {
    rule: 'CAP-33: what is made after the end is the owner’s own',
    when: 'an entry is made after the end',
    send: {
      operations: [begin(bob, erin), end(bob), data('a', 'b', bob)],
      signers: [alice, bob, erin],
    },
    codes: `txSuccess ${began} ${ended} manageDataSuccess`,
    changes: { 'bob data a': 'b', 'bob subentries': 1n },
  },
  {
    rule: 'CAP-33: only what belongs to the sponsored is sponsored',
    when: 'somebody else makes an entry meanwhile',
    send: {
      operations: [begin(bob, erin), data('a', 'b'), end(bob)],
      signers: [alice, bob, erin],
    },
    codes: `txSuccess ${began} manageDataSuccess ${ended}`,
    changes: { 'alice data a': 'b', 'alice subentries': 1n },
  },
  {
    rule: 'CAP-33: the sponsored needs no balance but for its fees',
    when: 'an account that holds nothing but a fee ends what is over',
    given: [
      {
        operations: [
          begin(newcomer, erin),
          Operation.createAccount({ destination: addressOf(newcomer), startingBalance: '0.00001' }),
          end(newcomer),
        ],
        signers: [alice, erin, newcomer],
      },
    ],
    send: { operations: [end(newcomer)], source: newcomer },
    codes: 'txFailed endSponsoringFutureReservesNotSponsored',
  },
  {
    rule: 'EndSponsoringFutureReservesOpFrame::doApply',
    when: 'nothing was begun',
    send: { operations: [end(alice)] },
    codes: 'txFailed endSponsoringFutureReservesNotSponsored',
  },
  {
    rule: 'EndSponsoringFutureReservesOpFrame::doApply: the sponsored ends it, not the sponsor',
    when: 'the sponsor ends it',
    send: { operations: [begin(bob), end(alice)] },
    codes: `txFailed ${began} endSponsoringFutureReservesNotSponsored`,
  },
  {
    rule: 'BeginSponsoringFutureReservesOpFrame: the sponsored need not exist, only to end it',
    when: 'the sponsored does not exist',
    send: { operations: [begin(nobody), end(nobody)], signers: [alice, nobody] },
    codes: `txFailed ${began} opNoAccount`,
  },
  {
    rule: 'OperationFrame::checkSignature: the sponsored agrees by signing',
    when: 'the sponsored did not sign',
    send: { operations: [begin(bob), end(bob)] },
    codes: `ERROR txFailed ${began} opBadAuth`,
  },
  {
    rule: 'canEstablishSponsorshipHelper: the sponsor holds what it can',
    when: 'the sponsor cannot hold the reserve',
    send: {
      operations: [begin(bob, poor), data('a', 'b', bob), end(bob)],
      signers: [alice, bob, poor],
    },
    codes: `txFailed ${began} manageDataLowReserve ${ended}`,
  },
  {
    rule: 'TransactionUtils getMinBalance: what one sponsors is not there to be spent',
    when: 'a sponsor pays away what it holds for others',
    doctored: [{ who: erin, sponsoring: 10, balance: 7n * UNIT }],
    send: {
      operations: [
        Operation.payment({
          destination: addressOf(bob),
          asset: XLM,
          amount: '1',
        }),
      ],
      source: erin,
    },
    codes: 'txFailed paymentUnderfunded',
  },
  {
    rule: 'TransactionFrame::commonValid: what one sponsors pays no fee either',
    when: 'a sponsor has nothing but what it holds for others',
    doctored: [{ who: erin, sponsoring: 10, balance: 6n * UNIT + 99n }],
    send: { operations: [merge(bob)], source: erin },
    codes: 'ERROR txInsufficientBalance',
  },
  {
    rule: 'OperationFrame::getThresholdLevel: medium',
    when: 'the medium threshold of the sponsored is not met',
    given: [{ source: bob, operations: [options({ medThreshold: 2, highThreshold: 2 })] }],
    send: { operations: [begin(bob), end(bob)], signers: [alice, bob] },
    codes: `ERROR txFailed ${began} opBadAuth`,
  },
]
