import { alice, bob, carol, dave, erin, missing, newcomer, poor, UNIT, USD } from '../accounts.ts'
import {
  begin,
  create,
  data,
  end,
  mediumThreshold2,
  merge,
  pay,
  sponsored,
  trust,
} from '../operations.ts'
import { fails, rejected, rows, succeeds } from '../row.ts'
import { from, signedBy } from '../transaction.ts'

const twoSponsored = [
  ...[begin(bob, erin), begin(poor, erin)],
  ...[data('a', 'b', bob), data('a', 'b', poor)],
  ...[end(bob), end(poor)],
]

/** stellar-core, BeginSponsoringFutureReservesOpFrame and EndSponsoringFutureReservesOpFrame. */
export const sponsoringRows = rows({
  'BeginSponsoringFutureReservesOpFrame::doCheckValid': [
    rejected('Malformed ok', 'an account would sponsor itself', [begin(alice), end(alice)]),
  ],
  'BeginSponsoringFutureReservesOpFrame::doApply': [
    fails('ok AlreadySponsored ok', 'the account has a sponsor', [
      begin(bob),
      begin(bob, carol),
      end(bob),
    ]),
    fails('ok Recursive ok', 'the sponsored account would sponsor', [
      begin(bob),
      begin(carol, bob),
      end(bob),
    ]),
    fails('ok Recursive ok', 'the sponsor would be sponsored', [
      begin(bob),
      begin(alice, carol),
      end(bob),
    ]),
    fails('ok ok AlreadySponsored ok ok', 'it has a sponsor, and would get a sponsored one', [
      begin(bob),
      begin(carol),
      begin(bob, carol),
      end(bob),
      end(carol),
    ]),
    fails('ok opNoAccount', 'the sponsored account is missing', sponsored(alice, missing)),
  ],
  'EndSponsoringFutureReservesOpFrame::doApply': [
    fails('NotSponsored', 'nothing began', end(alice)),
    fails('ok NotSponsored', 'the sponsor ends it', [begin(bob), end(alice)]),
  ],
  'applyOperations hasSponsorshipEntry': [
    fails('txBadSponsorship', 'it never ends', begin(bob)),
    fails('txBadSponsorship', 'it never ends, and a line opened, which is undone', [
      begin(dave),
      trust(USD, '1000', dave),
    ]),
  ],
  'CAP-33': [
    succeeds('it begins and ends', [begin(bob), end(bob)]),
    succeeds('an account sponsors two at once', twoSponsored, {
      changes:
        'bob data a = b (sponsor erin), bob subentries +1, bob sponsored +1, poor data a = b (sponsor erin), poor subentries +1, poor sponsored +1, erin sponsoring +2',
    }),
    succeeds('an entry is created after the end', [...sponsored(erin, bob), data('a', 'b', bob)], {
      changes: 'bob data a = b, bob subentries +1',
    }),
    succeeds('another account creates an entry', sponsored(erin, bob, data('a', 'b')), {
      changes: 'alice data a = b, alice subentries +1',
    }),
    fails(
      'NotSponsored',
      'an account with nothing but a fee ends it',
      from(newcomer, end(newcomer)),
      { given: sponsored(erin, newcomer, create(newcomer, '0.00001')) },
    ),
  ],
  'OperationFrame::checkSignature': rejected(
    'ok opBadAuth',
    'the sponsored account did not sign',
    signedBy([alice], begin(bob), end(bob)),
  ),
  'OperationFrame::getThresholdLevel': [
    rejected('ok opBadAuth', 'its medium threshold is not met', [begin(bob), end(bob)], {
      given: from(bob, mediumThreshold2),
    }),
  ],
  canEstablishSponsorshipHelper: fails(
    'ok LowReserve ok',
    'the sponsor cannot hold the reserve',
    sponsored(poor, bob, data('a', 'b', bob)),
  ),
  'TransactionUtils getMinBalance': [
    succeeds('a sponsored account pays all that is left', from(newcomer, pay(bob, '0.99999')), {
      given: sponsored(erin, newcomer, create(newcomer, '1')),
      changes: 'newcomer XLM -0.99999, bob XLM +0.99999',
    }),
    fails('Underfunded', 'a sponsor needs the reserves that it holds', from(erin, pay(bob, '1')), {
      ledger: { erin: { sponsoring: 10, balance: 7n * UNIT } },
    }),
  ],
  'TransactionFrame::commonValid': rejected(
    'txInsufficientBalance',
    'a sponsor needs the reserves that it holds',
    from(erin, merge(bob)),
    { ledger: { erin: { sponsoring: 10, balance: 6n * UNIT + 99n } } },
  ),
})
