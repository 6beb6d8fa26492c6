import { Operation } from '@stellar/stellar-sdk'
import {
  addressOf,
  alice,
  bob,
  carol,
  dave,
  GHOST,
  issuer,
  MAX_INT64,
  nobody,
  OWN,
  poor,
  UNIT,
  WRD,
  warden,
  XLM,
} from '../people.ts'
import type { Row } from '../row.ts'
import { unchecked } from '../unchecked.ts'
import { muxed, pay, raw } from '../words.ts'

/** stellar-core, PaymentOpFrame: a path payment of one asset, so that the receiving side goes first. */
export const paymentRows: readonly Row[] = [
  {
    rule: 'PaymentOpFrame::doApply',
    when: 'lumens are there to spend',
    send: { operations: [pay(bob, '3', XLM)] },
    codes: 'txSuccess paymentSuccess',
    changes: { 'alice XLM': -3n * UNIT, 'bob XLM': 3n * UNIT },
  },
  {
    rule: 'PaymentOpFrame::doApply: lumens to oneself move nothing and always can',
    when: 'more lumens than there are go to oneself',
    send: { operations: [pay(alice, '900000000', XLM)] },
    codes: 'txSuccess paymentSuccess',
  },
  {
    rule: 'CAP-27: a muxed address stands for its account',
    when: 'the receiver is muxed',
    send: { operations: [pay(muxed(bob, '7'), '3', XLM)] },
    codes: 'txSuccess paymentSuccess',
    changes: { 'alice XLM': -3n * UNIT, 'bob XLM': 3n * UNIT },
  },
  {
    rule: 'CAP-27: a muxed source of an operation is signed for by its account',
    when: 'the source of the operation is muxed',
    send: {
      operations: [
        Operation.payment({
          destination: addressOf(dave),
          asset: XLM,
          amount: '3',
          source: muxed(bob, '18446744073709551615'),
        }),
      ],
      signers: [alice, bob],
    },
    codes: 'txSuccess paymentSuccess',
    changes: { 'bob XLM': -3n * UNIT, 'dave XLM': 3n * UNIT },
  },
  {
    rule: 'TransactionUtils getAvailableBalance: the reserve stays',
    when: 'a stroop of the reserve would go',
    send: { operations: [pay(bob, '0.0009901', XLM)], source: poor },
    codes: 'txFailed paymentUnderfunded',
  },
  {
    rule: 'TransactionFrame::commonValid: the fee is taken first, and the rest may go',
    when: 'everything above the reserve goes',
    send: { operations: [pay(bob, '0.00099', XLM)], source: poor },
    codes: 'txSuccess paymentSuccess',
    changes: { 'poor XLM': -9_900n, 'bob XLM': 9_900n },
  },
  {
    rule: 'PathPaymentStrictReceiveOpFrame::doApply: the destination must exist',
    when: 'nobody is there',
    send: { operations: [pay(nobody, '3', XLM)] },
    codes: 'txFailed paymentNoDestination',
  },
  {
    rule: 'PathPaymentStrictReceiveOpFrame::doApply: the destination is looked at before the source',
    when: 'nobody is there, and the sender is short too',
    send: { operations: [pay(nobody, '900000000', XLM)] },
    codes: 'txFailed paymentNoDestination',
  },
  {
    rule: 'TransactionUtils addBalance: no balance passes the largest int64',
    when: 'the receiver could not count its lumens',
    doctored: [{ who: bob, balance: MAX_INT64 - UNIT + 1n }],
    send: { operations: [pay(bob, '1', XLM)] },
    codes: 'txFailed paymentLineFull',
  },
  {
    rule: 'CAP-3: what is promised to offers is not spent, nor what they bring received',
    when: 'offers may bring the receiver to its limit',
    doctored: [{ who: bob, liabilities: { buying: MAX_INT64 - 1_000n * UNIT, selling: 0n } }],
    send: { operations: [pay(bob, '1', XLM)] },
    codes: 'txFailed paymentLineFull',
  },
  {
    rule: 'CAP-3: what is promised to offers is not spent',
    when: 'the lumens are promised to offers',
    doctored: [{ who: alice, liabilities: { buying: 0n, selling: 900n * UNIT } }],
    send: { operations: [pay(bob, '99', XLM)] },
    codes: 'txFailed paymentUnderfunded',
  },
  {
    rule: 'PaymentOpFrame::doCheckValid: an amount is above zero',
    when: 'nothing is paid',
    send: { operations: [raw.payment(bob, XLM.toXdrObject(), 0n)] },
    codes: 'ERROR txFailed paymentMalformed',
  },
  {
    rule: 'PaymentOpFrame::doCheckValid: an amount is above zero',
    when: 'less than nothing is paid',
    send: { operations: [raw.payment(bob, XLM.toXdrObject(), -1n)] },
    codes: 'ERROR txFailed paymentMalformed',
  },
  {
    rule: 'isAssetValid: codes are letters and digits',
    when: 'the code of the asset has a dash',
    send: (net) =>
      unchecked(net, { operations: [raw.payment(bob, raw.asset('A-B\0', issuer), 5n)] }),
    fee: 100n,
    codes: 'ERROR txFailed paymentMalformed',
  },
  {
    rule: 'isAssetValid: a code goes on after no zero',
    when: 'the code of the asset has a hole',
    send: (net) =>
      unchecked(net, { operations: [raw.payment(bob, raw.asset('A\0B\0', issuer), 5n)] }),
    fee: 100n,
    codes: 'ERROR txFailed paymentMalformed',
  },
  {
    rule: 'isAssetValid: a code is not empty',
    when: 'the asset has no code',
    send: (net) =>
      unchecked(net, { operations: [raw.payment(bob, raw.asset('\0\0\0\0', issuer), 5n)] }),
    fee: 100n,
    codes: 'ERROR txFailed paymentMalformed',
  },
  {
    rule: 'PathPaymentOpFrameBase::updateDestBalance',
    when: 'both hold the asset',
    send: { operations: [pay(bob, '40', OWN)] },
    codes: 'txSuccess paymentSuccess',
    changes: { 'alice OWN': -40n * UNIT, 'bob OWN': 40n * UNIT },
  },
  {
    rule: 'TrustLineWrapper: an issuer has a line without end to itself',
    when: 'the issuer issues',
    send: { operations: [pay(carol, '1000', OWN)], source: issuer },
    codes: 'txSuccess paymentSuccess',
    changes: { 'carol OWN': 1_000n * UNIT },
  },
  {
    rule: 'TrustLineWrapper: an issuer takes everything back',
    when: 'it goes back to its issuer',
    send: { operations: [pay(issuer, '100', OWN)] },
    codes: 'txSuccess paymentSuccess',
    changes: { 'alice OWN': -100n * UNIT },
  },
  {
    rule: 'TrustLineWrapper: an issuer pays itself out of nothing into nothing',
    when: 'the issuer pays itself',
    send: { operations: [pay(issuer, '100', OWN)], source: issuer },
    codes: 'txSuccess paymentSuccess',
  },
  {
    rule: 'PaymentOpFrame::doApply: credit to oneself goes through the trustline',
    when: 'credit goes to its holder',
    send: { operations: [pay(alice, '100', OWN)] },
    codes: 'txSuccess paymentSuccess',
  },
  {
    rule: 'PathPaymentOpFrameBase::updateDestBalance: the credit must be received before it is spent',
    when: 'credit goes to its holder, whose line has no room for it',
    given: [{ source: issuer, operations: [pay(alice, '850', OWN)] }],
    send: { operations: [pay(alice, '100', OWN)] },
    codes: 'txFailed paymentLineFull',
  },
  {
    rule: 'PathPaymentOpFrameBase::updateSourceBalance',
    when: 'there is less of it',
    send: { operations: [pay(bob, '100.0000001', OWN)] },
    codes: 'txFailed paymentUnderfunded',
  },
  {
    rule: 'PathPaymentOpFrameBase::updateDestBalance: no line, no credit',
    when: 'the receiver has no line',
    send: { operations: [pay(dave, '1', OWN)] },
    codes: 'txFailed paymentNoTrust',
  },
  {
    rule: 'PathPaymentOpFrameBase::updateSourceBalance: no line, no credit',
    when: 'the sender has no line',
    send: { operations: [pay(bob, '1', OWN)], source: dave },
    codes: 'txFailed paymentSrcNoTrust',
  },
  {
    rule: 'PathPaymentStrictReceiveOpFrame::doApply: the receiver comes first',
    when: 'neither has a line',
    send: { operations: [pay(poor, '1', OWN)], source: dave },
    codes: 'txFailed paymentNoTrust',
  },
  {
    rule: 'CAP-3: a limit is a limit',
    when: 'the line of the receiver would overflow',
    send: { operations: [pay(bob, '900.0000001', OWN)], source: issuer },
    codes: 'txFailed paymentLineFull',
  },
  {
    rule: 'TrustLineWrapper isAuthorized',
    when: 'the receiver is not authorized',
    send: { operations: [pay(bob, '1', WRD)] },
    codes: 'txFailed paymentNotAuthorized',
  },
  {
    rule: 'CAP-18: keeping offers is not authorization to receive',
    when: 'the receiver may only keep its offers',
    send: { operations: [pay(carol, '1', WRD)] },
    codes: 'txFailed paymentNotAuthorized',
  },
  {
    rule: 'CAP-18: keeping offers is not authorization to send, not even home',
    when: 'the sender may only keep its offers',
    send: { operations: [pay(warden, '1', WRD)], source: carol },
    codes: 'txFailed paymentSrcNotAuthorized',
  },
  {
    rule: 'TrustLineWrapper isAuthorized: an issuer issues to the authorized only',
    when: 'the issuer pays somebody it did not authorize',
    send: { operations: [pay(bob, '1', WRD)], source: warden },
    codes: 'txFailed paymentNotAuthorized',
  },
  {
    rule: 'shouldBypassIssuerCheck: credit may go to an issuer without account, if only one holds it',
    when: 'the issuer has no account and the sender no line',
    send: { operations: [pay(nobody, '1', GHOST)] },
    codes: 'txFailed paymentSrcNoTrust',
  },
  {
    rule: 'CAP-30: an issuer need not exist for its credit to move',
    when: 'the issuer has merged away',
    given: [
      {
        source: issuer,
        operations: [Operation.accountMerge({ destination: addressOf(dave) })],
      },
    ],
    send: { operations: [pay(bob, '40', OWN)] },
    codes: 'txSuccess paymentSuccess',
    changes: { 'alice OWN': -40n * UNIT, 'bob OWN': 40n * UNIT },
  },
  {
    rule: 'CAP-30: an issuer need not exist for its credit to be burned',
    when: 'credit goes home to an issuer that has merged away',
    given: [
      {
        source: issuer,
        operations: [Operation.accountMerge({ destination: addressOf(dave) })],
      },
    ],
    send: { operations: [pay(issuer, '40', OWN)] },
    codes: 'txSuccess paymentSuccess',
    changes: { 'alice OWN': -40n * UNIT },
  },
]
