import { Operation } from '@stellar/stellar-sdk'
import {
  addressOf,
  alice,
  bob,
  carol,
  dave,
  erin,
  MAX_INT64,
  newcomer,
  nobody,
  poor,
  UNIT,
  XLM,
} from '../people.ts'
import type { Row } from '../row.ts'
import { begin, data, end, merge, muxed, options, pay, signerName } from '../words.ts'
import { STARTING_BALANCE } from '../world.ts'

const daveIsGone = {
  'dave exists': -1n,
  'dave thresholds': '',
  'dave XLM': -STARTING_BALANCE + 100n,
} as const

/** stellar-core, MergeOpFrame. */
export const accountMergeRows: readonly Row[] = [
  {
    rule: 'MergeOpFrame::doApplyFromV16: the whole balance, reserve and all',
    when: 'an account has nothing but lumens',
    send: { operations: [merge(bob)], source: dave },
    codes: 'txSuccess accountMergeSuccess',
    changes: { ...daveIsGone, 'bob XLM': STARTING_BALANCE - 100n },
  },
  {
    rule: 'MergeOpFrame::doApplyFromV16',
    when: 'the heir does not exist',
    send: { operations: [merge(nobody)], source: dave },
    codes: 'txFailed accountMergeNoAccount',
  },
  {
    rule: 'MergeOpFrame::doCheckValid',
    when: 'the heir is the account itself',
    send: { operations: [merge(dave)], source: dave },
    codes: 'ERROR txFailed accountMergeMalformed',
  },
  {
    rule: 'MergeOpFrame::doCheckValid (CAP-27): a mux id makes nobody else of oneself',
    when: 'the heir is the account itself under a muxed address',
    send: {
      operations: [Operation.accountMerge({ destination: muxed(dave, '5') })],
      source: dave,
    },
    codes: 'ERROR txFailed accountMergeMalformed',
  },
  {
    rule: 'MergeOpFrame::doApplyFromV16: what is immutable stays',
    when: 'the account is immutable',
    given: [{ source: dave, operations: [options({ setFlags: 4 })] }],
    send: { operations: [merge(bob)], source: dave },
    codes: 'txFailed accountMergeImmutableSet',
  },
  {
    rule: 'MergeOpFrame::doApplyFromV16: no lines, no data',
    when: 'the account has trustlines',
    send: { operations: [merge(bob)] },
    codes: 'txFailed accountMergeHasSubEntries',
  },
  {
    rule: 'MergeOpFrame::doApplyFromV16: no lines, no data',
    when: 'the account has data',
    given: [{ source: dave, operations: [data('a', 'b')] }],
    send: { operations: [merge(bob)], source: dave },
    codes: 'txFailed accountMergeHasSubEntries',
  },
  {
    rule: 'MergeOpFrame::doApplyFromV16: immutability is told before subentries',
    when: 'the account is immutable and has trustlines',
    given: [{ operations: [options({ setFlags: 4 })] }],
    send: { operations: [merge(bob)] },
    codes: 'txFailed accountMergeImmutableSet',
  },
  {
    rule: 'MergeOpFrame::doApplyFromV16: signers go along',
    when: 'the account has a signer',
    given: [
      {
        source: dave,
        operations: [options({ signer: { ed25519PublicKey: addressOf(carol), weight: 1 } })],
      },
    ],
    send: { operations: [merge(bob)], source: dave },
    codes: 'txSuccess accountMergeSuccess',
    changes: {
      ...daveIsGone,
      'dave XLM': -STARTING_BALANCE + 200n,
      'bob XLM': STARTING_BALANCE - 200n,
      'dave subentries': -1n,
      [`dave signer ${signerName(carol)}`]: '',
    },
  },
  {
    rule: 'CAP-33: the sponsor of a signer gets its reserve back',
    when: 'the account has a sponsored signer',
    given: [
      {
        operations: [
          begin(dave, erin),
          options({ signer: { ed25519PublicKey: addressOf(carol), weight: 1 } }, dave),
          end(dave),
        ],
        signers: [alice, erin, dave],
      },
    ],
    send: { operations: [merge(bob)], source: dave },
    codes: 'txSuccess accountMergeSuccess',
    changes: {
      ...daveIsGone,
      'bob XLM': STARTING_BALANCE - 100n,
      'dave subentries': -1n,
      'dave sponsored': -1n,
      'erin sponsoring': -1n,
      [`dave signer ${signerName(carol)}`]: '',
    },
  },
  {
    rule: 'CAP-33: the sponsor of an account gets its reserve back',
    when: 'the account is sponsored, by its heir',
    given: [
      {
        operations: [
          begin(newcomer, erin),
          Operation.createAccount({ destination: addressOf(newcomer), startingBalance: '2' }),
          end(newcomer),
        ],
        signers: [alice, erin, newcomer],
      },
    ],
    send: { operations: [merge(erin)], source: newcomer },
    codes: 'txSuccess accountMergeSuccess',
    changes: {
      'newcomer exists': -1n,
      'newcomer thresholds': '',
      'newcomer sponsor': '',
      'newcomer sponsored': -2n,
      'newcomer XLM': -2n * UNIT + 100n,
      'erin sponsoring': -2n,
      'erin XLM': 2n * UNIT - 100n,
    },
  },
  {
    rule: 'CAP-33: a sponsor stays',
    when: 'the account sponsors an entry',
    given: [
      {
        operations: [begin(poor, dave), data('a', 'b', poor), end(poor)],
        signers: [alice, dave, poor],
      },
    ],
    send: { operations: [merge(bob)], source: dave },
    codes: 'txFailed accountMergeIsSponsor',
  },
  {
    rule: 'MergeOpFrame::doApplyFromV16: whoever has begun to sponsor is a sponsor',
    when: 'the account has begun to sponsor',
    send: {
      operations: [begin(poor, dave), merge(bob, dave), end(poor)],
      signers: [alice, dave, poor],
    },
    codes:
      'txFailed beginSponsoringFutureReservesSuccess accountMergeIsSponsor ' +
      'endSponsoringFutureReservesSuccess',
  },
  {
    rule: 'applyOperations hasSponsorshipEntry: nobody is left to end it',
    when: 'the account was to be sponsored',
    send: { operations: [begin(dave, erin), merge(bob, dave)], signers: [alice, erin, dave] },
    codes: 'txBadSponsorship',
  },
  {
    rule: 'MergeOpFrame isSeqnumTooFar: no number is used twice, should the account be made again',
    when: 'the account was made in this ledger',
    send: {
      operations: [
        Operation.createAccount({ destination: addressOf(newcomer), startingBalance: '5' }),
        merge(alice, newcomer),
      ],
      signers: [alice, newcomer],
    },
    codes: 'txFailed createAccountSuccess accountMergeSeqnumTooFar',
  },
  {
    rule: 'MergeOpFrame isSeqnumTooFar: no number is used twice, should the account be made again',
    when: 'the sequence number has run ahead of the ledger',
    doctored: [{ who: dave, sequence: 1n << 62n }],
    send: { operations: [merge(bob)], source: dave },
    codes: 'txFailed accountMergeSeqnumTooFar',
  },
  {
    rule: 'MergeOpFrame::doApplyFromV16: numbers are told before sponsorships',
    when: 'the sequence number has run ahead, and the account sponsors',
    doctored: [{ who: dave, sequence: 1n << 62n, sponsoring: 1 }],
    send: { operations: [merge(bob)], source: dave },
    codes: 'txFailed accountMergeSeqnumTooFar',
  },
  {
    rule: 'TransactionUtils addBalance: no balance passes the largest int64',
    when: 'the heir could not count its lumens',
    doctored: [{ who: bob, balance: MAX_INT64 - UNIT }],
    send: { operations: [merge(bob)], source: dave },
    codes: 'txFailed accountMergeDestFull',
  },
  {
    rule: 'MergeOpFrame::getThresholdLevel: high',
    when: 'the high threshold is not met',
    given: [{ source: dave, operations: [options({ highThreshold: 2 })] }],
    send: { operations: [merge(bob)], source: dave },
    codes: 'ERROR txFailed opBadAuth',
  },
  {
    rule: 'OperationFrame::checkValid: an account that is gone does nothing more',
    when: 'the account merges and then pays',
    send: { operations: [merge(bob), pay(bob, '1', XLM)], source: dave },
    codes: 'txFailed accountMergeSuccess opNoAccount',
  },
  {
    rule: 'CreateAccountOpFrame: a key may have an account again',
    when: 'an account merges and is made again',
    send: {
      operations: [
        merge(bob, dave),
        Operation.createAccount({ destination: addressOf(dave), startingBalance: '5' }),
      ],
      signers: [alice, dave],
    },
    codes: 'txSuccess accountMergeSuccess createAccountSuccess',
    changes: {
      'alice XLM': -5n * UNIT,
      'dave XLM': -STARTING_BALANCE + 5n * UNIT,
      'bob XLM': STARTING_BALANCE,
      'dave sequence': 'begun',
    },
  },
]
