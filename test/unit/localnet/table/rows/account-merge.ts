import { Operation } from '@stellar/stellar-sdk'
import {
  alice,
  bob,
  carol,
  dave,
  erin,
  MAX_INT64,
  missing,
  newcomer,
  poor,
  UNIT,
} from '../accounts.ts'
import {
  begin,
  create,
  data,
  highThreshold2,
  merge,
  muxed,
  options,
  pay,
  signer,
  sponsored,
} from '../operations.ts'
import { fails, rejected, rows, succeeds } from '../row.ts'
import { from } from '../transaction.ts'

const daveMerges = from(dave, merge(bob))
const daveRemoved = 'dave account -1, dave thresholds removed'
const toHimselfMuxed = Operation.accountMerge({ destination: muxed(dave, '5') })

/** stellar-core, MergeOpFrame. */
export const accountMergeRows = rows({
  'MergeOpFrame::doCheckValid': [
    rejected('Malformed', 'the destination is itself', from(dave, merge(dave))),
    rejected('Malformed', 'it is itself, muxed (CAP-27)', from(dave, toHimselfMuxed)),
  ],
  'MergeOpFrame::doApplyFromV16': [
    succeeds('the account holds only lumens: all move, the reserve included', daveMerges, {
      changes: `${daveRemoved}, dave XLM -999.99999, bob XLM +999.99999`,
    }),
    succeeds('the account has a signer, which is removed too', daveMerges, {
      given: from(dave, signer(carol)),
      changes: `${daveRemoved}, dave XLM -999.99998, bob XLM +999.99998, dave subentries -1, dave signer carol removed`,
    }),
    fails('NoAccount', 'the destination is missing', from(dave, merge(missing))),
    fails('ImmutableSet', 'the account is immutable', daveMerges, {
      given: from(dave, options({ setFlags: 4 })),
    }),
    fails('HasSubEntries', 'the account has trustlines', merge(bob)),
    fails('HasSubEntries', 'the account has data', daveMerges, {
      given: from(dave, data('a', 'b')),
    }),
    fails('ImmutableSet', 'it is immutable and has trustlines', merge(bob), {
      given: options({ setFlags: 4 }),
    }),
    fails('SeqnumTooFar', 'the number is too far, and it is a sponsor', daveMerges, {
      ledger: { dave: { sequence: 1n << 62n, sponsoring: 1 } },
    }),
    fails(
      'ok IsSponsor ok',
      'the account began to sponsor',
      sponsored(dave, poor, merge(bob, dave)),
    ),
  ],
  // A later account of the same key must not accept a number of this one.
  'MergeOpFrame isSeqnumTooFar': [
    fails('SeqnumTooFar', 'the number is ahead of the ledger', daveMerges, {
      ledger: { dave: { sequence: 1n << 62n } },
    }),
    fails('ok SeqnumTooFar', 'the account was created in this ledger', [
      create(newcomer, '5'),
      merge(alice, newcomer),
    ]),
  ],
  'CAP-33': [
    succeeds('a signer is sponsored: the sponsor gets the reserve back', daveMerges, {
      given: sponsored(erin, dave, signer(carol, 1, dave)),
      changes: `${daveRemoved}, dave XLM -999.99999, bob XLM +999.99999, dave subentries -1, dave sponsored -1, erin sponsoring -1, dave signer carol removed`,
    }),
    succeeds('the destination sponsors the account', from(newcomer, merge(erin)), {
      given: sponsored(erin, newcomer, create(newcomer, '2')),
      changes: `newcomer account -1, newcomer thresholds removed, newcomer sponsor removed, newcomer sponsored -2, newcomer XLM -1.99999, erin sponsoring -2, erin XLM +1.99999`,
    }),
    fails('IsSponsor', 'the account sponsors an entry', daveMerges, {
      given: sponsored(dave, poor, data('a', 'b', poor)),
    }),
  ],
  'applyOperations hasSponsorshipEntry': [
    fails('txBadSponsorship', 'a sponsored account merges', [begin(dave, erin), merge(bob, dave)]),
  ],
  'TransactionUtils addBalance': [
    fails('DestFull', 'the destination would pass the largest int64', daveMerges, {
      ledger: { bob: { balance: MAX_INT64 - UNIT } },
    }),
  ],
  'MergeOpFrame::getThresholdLevel': [
    rejected('opBadAuth', 'the high threshold is not met', daveMerges, {
      given: from(dave, highThreshold2),
    }),
  ],
  'OperationFrame::checkValid': [
    fails('ok opNoAccount', 'the account merges, then pays', from(dave, merge(bob), pay(bob, '1'))),
  ],
  CreateAccountOpFrame: [
    succeeds('the account merges and is created again', [merge(bob, dave), create(dave, '5')], {
      changes: 'alice XLM -5, dave XLM -995, bob XLM +1000, dave sequence = initial',
    }),
  ],
})
