import { Memo, Operation } from '@stellar/stellar-sdk'
import {
  addressOf,
  alice,
  bob,
  carol,
  dave,
  issuer,
  MAX_INT64,
  missing,
  ORPHAN,
  poor,
  REG,
  regulator,
  UNIT,
  USD,
  XLM,
} from '../accounts.ts'
import { merge, muxed, pay } from '../operations.ts'
import { rawTx } from '../raw-envelopes.ts'
import { raw } from '../raw-operations.ts'
import { fails, rejected, rows, succeeds } from '../row.ts'
import { from, signedBy } from '../transaction.ts'

const native = XLM.toXdrObject()
const ofCode = (code: string) =>
  rawTx({ operations: [raw.payment(bob, raw.asset(code, issuer), 5n)] })
const fromMuxed = Operation.payment({
  destination: addressOf(dave),
  asset: XLM,
  amount: '3',
  source: muxed(bob, '18446744073709551615'),
})
const transfer = 'XLM: symbol transfer, address alice, address bob, string native'
const issuerMerged = { given: from(issuer, merge(dave)) }

/** stellar-core, PaymentOpFrame: a path payment of one asset, which checks the receiver first. */
export const paymentRows = rows({
  'PaymentOpFrame::doCheckValid': [
    rejected('Malformed', 'the amount is zero', raw.payment(bob, native, 0n)),
    rejected('Malformed', 'the amount is negative', raw.payment(bob, native, -1n)),
  ],
  isAssetValid: [
    rejected('Malformed', 'the asset code has a dash', ofCode('A-B')),
    rejected('Malformed', 'the asset code has a zero byte inside', ofCode('A\0B')),
    rejected('Malformed', 'the asset code is empty', ofCode('')),
  ],
  'PaymentOpFrame::doApply': [
    succeeds('lumens are paid', pay(bob, '3'), {
      changes: 'alice XLM -3, bob XLM +3',
      meta: 'State account, Updated account, State account, Updated account',
      events: `${transfer}, i128 30000000`,
    }),
    succeeds(
      'it has a memo',
      { operations: [pay(bob, '3')], memo: Memo.text('rent') },
      {
        changes: 'alice XLM -3, bob XLM +3',
        events: `${transfer}, {symbol amount = i128 30000000, symbol to_muxed_id = string rent}`,
      },
    ),
    succeeds('more lumens than it has go to the source itself', pay(alice, '900000000')),
    succeeds('all its USD goes to the source itself', pay(alice, '100', USD)),
  ],
  'CAP-27': [
    succeeds('the receiver is muxed', pay(muxed(bob, '7'), '3'), {
      changes: 'alice XLM -3, bob XLM +3',
      events: `${transfer}, {symbol amount = i128 30000000, symbol to_muxed_id = u64 7}`,
    }),
    succeeds('the source of the operation is muxed', signedBy([alice, bob], fromMuxed), {
      changes: 'bob XLM -3, dave XLM +3',
      events: 'XLM: symbol transfer, address bob, address dave, string native, i128 30000000',
    }),
  ],
  'TransactionUtils getAvailableBalance': [
    fails('Underfunded', 'a stroop of the reserve would go', from(poor, pay(bob, '0.0009901'))),
  ],
  'TransactionFrame::commonValid': [
    succeeds('all above the reserve and the fee goes', from(poor, pay(bob, '0.00099')), {
      changes: 'poor XLM -0.00099, bob XLM +0.00099',
    }),
  ],
  'PathPaymentStrictReceiveOpFrame::doApply': [
    fails('NoDestination', 'the receiver is missing', pay(missing, '3')),
    fails('NoDestination', 'receiver missing, sender short', pay(missing, '900000000')),
    fails('NoTrust', 'neither has a line', from(dave, pay(poor, '1', USD))),
  ],
  'TransactionUtils addBalance': [
    fails('LineFull', 'the receiver would pass the largest int64', pay(bob, '1'), {
      ledger: { bob: { balance: MAX_INT64 - UNIT + 1n } },
    }),
  ],
  'CAP-3': [
    fails('LineFull', 'offers of the receiver may fill its balance', pay(bob, '1'), {
      ledger: { bob: { liabilities: { buying: MAX_INT64 - 1_000n * UNIT, selling: 0n } } },
    }),
    fails('Underfunded', 'offers of the sender sell its lumens', pay(bob, '99'), {
      ledger: { alice: { liabilities: { buying: 0n, selling: 900n * UNIT } } },
    }),
    fails('LineFull', 'the line would pass its limit', from(issuer, pay(bob, '900.0000001', USD))),
  ],
  'PathPaymentOpFrameBase::updateDestBalance': [
    succeeds('both have a line', pay(bob, '40', USD), 'alice USD -40, bob USD +40'),
    fails('NoTrust', 'the receiver has no line', pay(dave, '1', USD)),
    fails('LineFull', 'to itself, beyond the limit of its line', pay(alice, '100', USD), {
      given: from(issuer, pay(alice, '850', USD)),
    }),
  ],
  'PathPaymentOpFrameBase::updateSourceBalance': [
    fails('Underfunded', 'the sender holds less', pay(bob, '100.0000001', USD)),
    fails('SrcNoTrust', 'the sender has no line', from(dave, pay(bob, '1', USD))),
  ],
  TrustLineWrapper: [
    succeeds('the issuer pays', from(issuer, pay(carol, '1000', USD)), {
      changes: 'carol USD +1000',
      events: 'USD: symbol mint, address carol, string USD:issuer, i128 10000000000',
    }),
    succeeds('the issuer receives', pay(issuer, '100', USD), {
      changes: 'alice USD -100',
      events: 'USD: symbol burn, address alice, string USD:issuer, i128 1000000000',
    }),
    succeeds('the issuer pays itself', from(issuer, pay(issuer, '100', USD))),
  ],
  'TrustLineWrapper isAuthorized': [
    fails('NotAuthorized', 'the receiver is not authorized', pay(bob, '1', REG)),
    fails(
      'NotAuthorized',
      'the issuer pays an unauthorized line',
      from(regulator, pay(bob, '1', REG)),
    ),
  ],
  'CAP-18': [
    fails('NotAuthorized', 'the receiver may only keep offers', pay(carol, '1', REG)),
    fails(
      'SrcNotAuthorized',
      'the sender may only keep offers',
      from(carol, pay(regulator, '1', REG)),
    ),
  ],
  shouldBypassIssuerCheck: [
    fails('SrcNoTrust', 'the receiver is the issuer, and missing', pay(missing, '1', ORPHAN)),
  ],
  'CAP-30': [
    succeeds('the issuer has merged', pay(bob, '40', USD), {
      ...issuerMerged,
      changes: 'alice USD -40, bob USD +40',
    }),
    succeeds('the issuer has merged and is paid, which burns', pay(issuer, '40', USD), {
      ...issuerMerged,
      changes: 'alice USD -40',
    }),
  ],
})
