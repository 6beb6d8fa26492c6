import { alice, dave, erin, poor, UNIT } from '../people.ts'
import type { Row } from '../row.ts'
import { begin, data, end, options, raw } from '../words.ts'

const longest = 'x'.repeat(64)

/** stellar-core, ManageDataOpFrame. */
export const manageDataRows: readonly Row[] = [
  {
    rule: 'ManageDataOpFrame::doApply: an entry of data is a subentry',
    when: 'a name is new',
    send: { operations: [data('note', 'hello')] },
    codes: 'txSuccess manageDataSuccess',
    changes: { 'alice data note': 'hello', 'alice subentries': 1n },
  },
  {
    rule: 'DataEntry: names and values of 64 bytes',
    when: 'name and value are as long as can be',
    send: { operations: [data(longest, longest)] },
    codes: 'txSuccess manageDataSuccess',
    changes: { [`alice data ${longest}`]: longest, 'alice subentries': 1n },
  },
  {
    rule: 'ManageDataOpFrame::doApply',
    when: 'a name is known',
    given: [{ operations: [data('note', 'hello')] }],
    send: { operations: [data('note', 'bye')] },
    codes: 'txSuccess manageDataSuccess',
    changes: { 'alice data note': 'bye' },
  },
  {
    rule: 'ManageDataOpFrame::doApply: no value removes',
    when: 'an entry is removed',
    given: [{ operations: [data('note', 'hello')] }],
    send: { operations: [data('note', null)] },
    codes: 'txSuccess manageDataSuccess',
    changes: { 'alice data note': '', 'alice subentries': -1n },
  },
  {
    rule: 'ManageDataOpFrame::doApply',
    when: 'an entry that is not there is removed',
    send: { operations: [data('note', null)] },
    codes: 'txFailed manageDataNameNotFound',
  },
  {
    rule: 'DataEntry: names are an account’s own',
    when: 'the entry of somebody else is removed',
    given: [{ operations: [data('note', 'hello')] }],
    send: { operations: [data('note', null)], source: dave },
    codes: 'txFailed manageDataNameNotFound',
  },
  {
    rule: 'ManageDataOpFrame::doCheckValid: a name is not empty',
    when: 'there is no name',
    send: { operations: [raw.manageData('', 'x')] },
    codes: 'ERROR txFailed manageDataInvalidName',
  },
  {
    rule: 'isString32Valid: no control characters',
    when: 'the name has a line break',
    send: { operations: [data('a\nb', 'x')] },
    codes: 'ERROR txFailed manageDataInvalidName',
  },
  {
    rule: 'canCreateEntryWithoutSponsorship: an entry costs half a lumen',
    when: 'the reserve is short',
    send: { operations: [data('note', 'hello')], source: poor },
    codes: 'txFailed manageDataLowReserve',
  },
  {
    rule: 'canCreateEntryWithoutSponsorship: a thousand subentries and no more',
    when: 'an account has all the entries it may have',
    doctored: [{ who: dave, subEntries: 1_000, balance: 10_000n * UNIT }],
    send: { operations: [data('note', 'hello')], source: dave },
    codes: 'txFailed opTooManySubentries',
  },
  {
    rule: 'CAP-33: data may be sponsored',
    when: 'somebody sponsors the data of a poor account',
    send: {
      operations: [begin(poor, erin), data('note', 'hello', poor), end(poor)],
      signers: [alice, erin, poor],
    },
    codes:
      'txSuccess beginSponsoringFutureReservesSuccess manageDataSuccess ' +
      'endSponsoringFutureReservesSuccess',
    changes: {
      'poor data note': 'hello held by erin',
      'poor subentries': 1n,
      'poor sponsored': 1n,
      'erin sponsoring': 1n,
    },
  },
  {
    rule: 'CAP-33: an entry that changes stays with its sponsor',
    when: 'sponsored data changes',
    given: [
      {
        operations: [begin(poor, erin), data('note', 'hello', poor), end(poor)],
        signers: [alice, erin, poor],
      },
    ],
    send: { operations: [data('note', 'bye')], source: poor },
    codes: 'txSuccess manageDataSuccess',
    changes: { 'poor data note': 'bye held by erin' },
  },
  {
    rule: 'CAP-33: a sponsor gets its reserve back with the entry',
    when: 'sponsored data is removed',
    given: [
      {
        operations: [begin(poor, erin), data('note', 'hello', poor), end(poor)],
        signers: [alice, erin, poor],
      },
    ],
    send: { operations: [data('note', null)], source: poor },
    codes: 'txSuccess manageDataSuccess',
    changes: {
      'poor data note': '',
      'poor subentries': -1n,
      'poor sponsored': -1n,
      'erin sponsoring': -1n,
    },
  },
  {
    rule: 'OperationFrame::getThresholdLevel: medium',
    when: 'the medium threshold is not met',
    given: [{ operations: [options({ medThreshold: 2, highThreshold: 2 })] }],
    send: { operations: [data('note', 'hello')] },
    codes: 'ERROR txFailed opBadAuth',
  },
]
