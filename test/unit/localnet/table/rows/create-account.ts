import { Operation } from '@stellar/stellar-sdk'
import { addressOf, alice, bob, erin, newcomer, poor, RESERVE, UNIT } from '../people.ts'
import type { Row } from '../row.ts'
import { begin, end, raw } from '../words.ts'

const create = (startingBalance: string, destination = newcomer) =>
  Operation.createAccount({ destination: addressOf(destination), startingBalance })

const begun = {
  'newcomer exists': 1n,
  'newcomer sequence': 'begun',
  'newcomer thresholds': '1/0/0/0',
} as const

/** stellar-core, CreateAccountOpFrame. */
export const createAccountRows: readonly Row[] = [
  {
    rule: 'CAP-33: an account holds two base reserves',
    when: 'exactly the reserve is given',
    send: { operations: [create('1')] },
    codes: 'txSuccess createAccountSuccess',
    changes: {
      'alice XLM': -UNIT,
      'newcomer XLM': UNIT,
      ...begun,
    },
  },
  {
    rule: 'CAP-33: an account holds two base reserves',
    when: 'a stroop is missing for the reserve',
    send: { operations: [create('0.9999999')] },
    codes: 'txFailed createAccountLowReserve',
  },
  {
    rule: 'CAP-33: a starting balance of zero is sound, and short of the reserve without a sponsor',
    when: 'nothing is given and nobody sponsors',
    send: { operations: [create('0')] },
    codes: 'txFailed createAccountLowReserve',
  },
  {
    rule: 'CreateAccountOpFrame::doCheckValid: a negative balance is malformed',
    when: 'less than nothing is given',
    send: { operations: [raw.createAccount(newcomer, -1n)] },
    codes: 'ERROR txFailed createAccountMalformed',
  },
  {
    rule: 'CreateAccountOpFrame::doCheckValid: the source cannot be what it makes',
    when: 'an account would make itself',
    send: { operations: [create('5', alice)] },
    codes: 'ERROR txFailed createAccountMalformed',
  },
  {
    rule: 'CreateAccountOpFrame::doApply: who exists is looked at first',
    when: 'the account is there already, and nothing is given',
    send: { operations: [create('0', bob)] },
    codes: 'txFailed createAccountAlreadyExist',
  },
  {
    rule: 'CreateAccountOpFrame::doApply: above the minimum balance only',
    when: 'the source would go below its reserve',
    send: { operations: [create('1')], source: poor },
    codes: 'txFailed createAccountUnderfunded',
  },
  {
    rule: 'CreateAccountOpFrame::doApply: the new reserve is looked at before the source',
    when: 'neither the reserve nor the source suffices',
    send: { operations: [create('0.5')], source: poor },
    codes: 'txFailed createAccountLowReserve',
  },
  {
    rule: 'CAP-33: the sponsor holds both reserves',
    when: 'nothing is given and somebody sponsors',
    send: {
      operations: [begin(newcomer, erin), create('0'), end(newcomer)],
      signers: [alice, erin, newcomer],
    },
    codes:
      'txSuccess beginSponsoringFutureReservesSuccess createAccountSuccess ' +
      'endSponsoringFutureReservesSuccess',
    changes: {
      ...begun,
      'newcomer sponsored': 2n,
      'newcomer sponsor': ' held by erin',
      'erin sponsoring': 2n,
    },
  },
  {
    rule: 'CAP-33: the sponsor must be able to hold both reserves',
    when: 'the sponsor cannot hold the reserve',
    send: {
      operations: [begin(newcomer, poor), create('5'), end(newcomer)],
      signers: [alice, poor, newcomer],
    },
    codes: 'txFailed beginSponsoringFutureReservesSuccess createAccountLowReserve opNoAccount',
  },
  {
    rule: 'SponsorshipUtils tooManySponsoring: sponsored reserves and subentries fit 32 bits together',
    when: 'the sponsor sponsors as much as can be counted',
    doctored: [{ who: erin, sponsoring: 4_294_967_294, balance: 2n ** 62n }],
    send: {
      operations: [begin(newcomer, erin), create('0'), end(newcomer)],
      signers: [alice, erin, newcomer],
    },
    codes: 'txFailed beginSponsoringFutureReservesSuccess opTooManySponsoring opNoAccount',
  },
  {
    rule: 'CAP-33: the one who pays may be the sponsor, whose reserve counts at once',
    when: 'the sponsor can hold the reserve or pay the balance, but not both',
    doctored: [{ who: erin, balance: 3n * UNIT + 300n }],
    send: {
      operations: [begin(newcomer), create('1.5'), end(newcomer)],
      source: erin,
      signers: [erin, newcomer],
    },
    codes: 'txFailed beginSponsoringFutureReservesSuccess createAccountUnderfunded opNoAccount',
  },
  {
    rule: 'OperationFrame::checkValid: an account made in the transaction may act in it',
    when: 'the new account pays at once',
    send: {
      operations: [
        create('2'),
        Operation.payment({
          destination: addressOf(bob),
          asset: raw.native,
          amount: '0.5',
          source: addressOf(newcomer),
        }),
      ],
      signers: [alice, newcomer],
    },
    codes: 'txSuccess createAccountSuccess paymentSuccess',
    changes: {
      'alice XLM': -2n * UNIT,
      'newcomer XLM': 2n * UNIT - RESERVE,
      'bob XLM': RESERVE,
      ...begun,
    },
  },
]
