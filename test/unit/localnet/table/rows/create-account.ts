import { alice, bob, erin, newcomer, poor, UNIT, XLM } from '../accounts.ts'
import { begin, create, end, pay, sponsored } from '../operations.ts'
import { raw } from '../raw-operations.ts'
import { fails, rejected, rows, succeeds } from '../row.ts'
import { from } from '../transaction.ts'

const created = 'newcomer account +1, newcomer sequence = initial, newcomer thresholds = 1/0/0/0'

/** stellar-core, CreateAccountOpFrame. */
export const createAccountRows = rows({
  'CreateAccountOpFrame::doCheckValid': [
    rejected('Malformed', 'the balance is negative', raw.createAccount(newcomer, -1n)),
    rejected('Malformed', 'an account would create itself', create(alice, '5')),
  ],
  'CreateAccountOpFrame::doApply': [
    fails('AlreadyExist', 'the account exists, and gets zero', create(bob, '0')),
    fails('Underfunded', 'the source needs its reserve', from(poor, create(newcomer, '1'))),
    fails('LowReserve', 'both reserve and source are short', from(poor, create(newcomer, '0.5'))),
  ],
  'CAP-33': [
    succeeds('the balance is two base reserves', create(newcomer, '1'), {
      changes: `alice XLM -1, newcomer XLM +1, ${created}`,
    }),
    fails('LowReserve', 'a stroop is missing', create(newcomer, '0.9999999')),
    fails('LowReserve', 'the balance is zero, without sponsor', create(newcomer, '0')),
    succeeds(
      'the balance is zero, with a sponsor',
      sponsored(erin, newcomer, create(newcomer, '0')),
      { changes: `${created}, newcomer sponsored +2, newcomer sponsor = erin, erin sponsoring +2` },
    ),
    fails(
      'ok LowReserve opNoAccount',
      'the sponsor cannot hold the reserves',
      sponsored(poor, newcomer, create(newcomer, '5')),
    ),
    fails(
      'ok Underfunded opNoAccount',
      'the source is the sponsor, and has too little for reserves and balance',
      from(erin, begin(newcomer), create(newcomer, '1.5'), end(newcomer)),
      { ledger: { erin: { balance: 3n * UNIT + 300n } } },
    ),
  ],
  'SponsorshipUtils tooManySponsoring': fails(
    'ok opTooManySponsoring opNoAccount',
    'the sponsored reserves and subentries of the sponsor would pass 32 bits',
    sponsored(erin, newcomer, create(newcomer, '0')),
    { ledger: { erin: { sponsoring: 4_294_967_294, balance: 2n ** 62n } } },
  ),
  'OperationFrame::checkValid': succeeds(
    'the new account pays in the same transaction',
    [create(newcomer, '2'), pay(bob, '0.5', XLM, newcomer)],
    `alice XLM -2, newcomer XLM +1.5, bob XLM +0.5, ${created}`,
  ),
})
