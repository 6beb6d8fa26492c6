import { Asset, LiquidityPoolAsset, Operation } from '@stellar/stellar-sdk'
import {
  addressOf,
  alice,
  bob,
  dave,
  erin,
  GHOST,
  issuer,
  OWN,
  poor,
  UNIT,
  WRD,
  warden,
  XLM,
} from '../people.ts'
import type { Row } from '../row.ts'
import { begin, end, merge, options, pay, raw, trust } from '../words.ts'

const ownLine = { 'dave OWN line': 1n, 'dave OWN limit': 1_000n * UNIT, 'dave subentries': 1n }

/** stellar-core, ChangeTrustOpFrame. */
export const changeTrustRows: readonly Row[] = [
  {
    rule: 'ChangeTrustOpFrame::doApply: lines of an issuer without flags are authorized',
    when: 'a line is opened',
    send: { operations: [trust(OWN)], source: dave },
    codes: 'txSuccess changeTrustSuccess',
    changes: { ...ownLine, 'dave OWN flags': 1n },
  },
  {
    rule: 'CAP-35: lines take clawback from their issuer, and wait where it asks for authorization',
    when: 'a line to somebody strict is opened',
    send: { operations: [trust(WRD)], source: dave },
    codes: 'txSuccess changeTrustSuccess',
    changes: {
      'dave WRD line': 1n,
      'dave WRD limit': 1_000n * UNIT,
      'dave WRD flags': 4n,
      'dave subentries': 1n,
    },
  },
  {
    rule: 'CAP-35: clawback of a line is decided when it is opened',
    when: 'the issuer takes to clawback later',
    given: [{ source: issuer, operations: [options({ setFlags: 2 }), options({ setFlags: 8 })] }],
    send: { operations: [trust(OWN)], source: dave },
    codes: 'txSuccess changeTrustSuccess',
    changes: { ...ownLine, 'dave OWN flags': 5n },
  },
  {
    rule: 'ChangeTrustOpFrame::doApply',
    when: 'a limit is raised',
    send: { operations: [trust(OWN, '2000')] },
    codes: 'txSuccess changeTrustSuccess',
    changes: { 'alice OWN limit': 1_000n * UNIT },
  },
  {
    rule: 'ChangeTrustOpFrame::doApply: down to what is held',
    when: 'a limit comes down to the balance',
    send: { operations: [trust(OWN, '100')] },
    codes: 'txSuccess changeTrustSuccess',
    changes: { 'alice OWN limit': -900n * UNIT },
  },
  {
    rule: 'ChangeTrustOpFrame::doApply: not below what is held',
    when: 'a limit would come below the balance',
    send: { operations: [trust(OWN, '99.9999999')] },
    codes: 'txFailed changeTrustInvalidLimit',
  },
  {
    rule: 'ChangeTrustOpFrame::doApply: a line is closed by a limit of zero once it is empty',
    when: 'an empty line is closed',
    given: [{ operations: [pay(issuer, '100', OWN)] }],
    send: { operations: [trust(OWN, '0')] },
    codes: 'txSuccess changeTrustSuccess',
    changes: {
      'alice OWN line': -1n,
      'alice OWN limit': -1_000n * UNIT,
      'alice OWN flags': -1n,
      'alice subentries': -1n,
    },
  },
  {
    rule: 'ChangeTrustOpFrame::doApply: a line that holds something stays',
    when: 'a line that holds something is closed',
    send: { operations: [trust(OWN, '0')] },
    codes: 'txFailed changeTrustInvalidLimit',
  },
  {
    rule: 'ChangeTrustOpFrame::doApply: there is nothing to close',
    when: 'a line that is not there is closed',
    send: { operations: [trust(OWN, '0')], source: dave },
    codes: 'txFailed changeTrustInvalidLimit',
  },
  {
    rule: 'ChangeTrustOpFrame::doApply: a limit of zero is told before a missing issuer',
    when: 'a line that is not there, to nobody, is closed',
    send: { operations: [trust(GHOST, '0')] },
    codes: 'txFailed changeTrustInvalidLimit',
  },
  {
    rule: 'ChangeTrustOpFrame::doApply: an issuer must exist when a line is opened',
    when: 'a line to nobody is opened',
    send: { operations: [trust(GHOST)] },
    codes: 'txFailed changeTrustNoIssuer',
  },
  {
    rule: 'ChangeTrustOpFrame::doApply: an issuer must exist when a limit changes',
    when: 'the issuer has merged away and a limit changes',
    given: [{ source: issuer, operations: [merge(dave)] }],
    send: { operations: [trust(OWN, '2000')] },
    codes: 'txFailed changeTrustNoIssuer',
  },
  {
    rule: 'ChangeTrustOpFrame::doApply: an issuer need not exist when a line is closed',
    when: 'the issuer has merged away and an empty line is closed',
    given: [
      { operations: [pay(issuer, '100', OWN)] },
      { source: issuer, operations: [merge(dave)] },
    ],
    send: { operations: [trust(OWN, '0')] },
    codes: 'txSuccess changeTrustSuccess',
    changes: {
      'alice OWN line': -1n,
      'alice OWN limit': -1_000n * UNIT,
      'alice OWN flags': -1n,
      'alice subentries': -1n,
    },
  },
  {
    rule: 'canCreateEntryWithoutSponsorship: a subentry costs half a lumen',
    when: 'the reserve is short',
    send: { operations: [trust(OWN)], source: poor },
    codes: 'txFailed changeTrustLowReserve',
  },
  {
    rule: 'ChangeTrustOpFrame::doApply: the issuer is looked at before the reserve',
    when: 'neither reserve nor issuer is there',
    send: { operations: [trust(GHOST)], source: poor },
    codes: 'txFailed changeTrustNoIssuer',
  },
  {
    rule: 'canCreateEntryWithoutSponsorship: a thousand subentries and no more (protocol 11)',
    when: 'an account has all the entries it may have',
    doctored: [{ who: dave, subEntries: 1_000 }],
    send: { operations: [trust(OWN)], source: dave },
    codes: 'txFailed opTooManySubentries',
  },
  {
    rule: 'canCreateEntryWithSponsorship: the owner counts its subentries, whoever holds their reserve',
    when: 'an account has all the entries it may have, and somebody sponsors',
    doctored: [{ who: dave, subEntries: 1_000, balance: 10_000n * UNIT }],
    send: {
      operations: [begin(dave, erin), trust(OWN, '1000', dave), end(dave)],
      signers: [alice, erin, dave],
    },
    codes:
      'txFailed beginSponsoringFutureReservesSuccess opTooManySubentries ' +
      'endSponsoringFutureReservesSuccess',
  },
  {
    rule: 'CAP-33: a subentry counts for its owner, its reserve for the sponsor',
    when: 'somebody sponsors the line of a poor account',
    send: {
      operations: [begin(poor, erin), trust(OWN, '1000', poor), end(poor)],
      signers: [alice, erin, poor],
    },
    codes:
      'txSuccess beginSponsoringFutureReservesSuccess changeTrustSuccess ' +
      'endSponsoringFutureReservesSuccess',
    changes: {
      'poor OWN line': 1n,
      'poor OWN limit': 1_000n * UNIT,
      'poor OWN flags': 1n,
      'poor OWN sponsor': ' held by erin',
      'poor subentries': 1n,
      'poor sponsored': 1n,
      'erin sponsoring': 1n,
    },
  },
  {
    rule: 'CAP-33: a sponsor gets its reserve back with the entry',
    when: 'a sponsored line is closed',
    given: [
      {
        operations: [begin(poor, erin), trust(OWN, '1000', poor), end(poor)],
        signers: [alice, erin, poor],
      },
    ],
    send: { operations: [trust(OWN, '0')], source: poor },
    codes: 'txSuccess changeTrustSuccess',
    changes: {
      'poor OWN line': -1n,
      'poor OWN limit': -1_000n * UNIT,
      'poor OWN flags': -1n,
      'poor OWN sponsor': '',
      'poor subentries': -1n,
      'poor sponsored': -1n,
      'erin sponsoring': -1n,
    },
  },
  {
    rule: 'ChangeTrustOpFrame::doCheckValid: lumens need no trust',
    when: 'somebody would trust lumens',
    send: { operations: [trust(XLM)] },
    codes: 'ERROR txFailed changeTrustMalformed',
  },
  {
    rule: 'ChangeTrustOpFrame::doCheckValid (protocol 16): nobody trusts itself',
    when: 'an issuer trusts itself',
    send: { operations: [trust(WRD)], source: warden },
    codes: 'ERROR txFailed changeTrustMalformed',
  },
  {
    rule: 'ChangeTrustOpFrame::doCheckValid: a limit is not negative',
    when: 'the limit is below zero',
    send: { operations: [raw.changeTrust(OWN.toXdrObject(), -1n)] },
    codes: 'ERROR txFailed changeTrustMalformed',
  },
  {
    rule: 'isAssetValid: a long code has five letters at least',
    when: 'a long code is short',
    send: { operations: [raw.changeTrust(raw.longAsset('AB', issuer), 5n)] },
    codes: 'ERROR txFailed changeTrustMalformed',
  },
  {
    rule: 'what this network leaves out, it does not support',
    when: 'it is about shares of a liquidity pool',
    send: {
      operations: [
        Operation.changeTrust({
          asset: new LiquidityPoolAsset(Asset.native(), new Asset('OWN', addressOf(issuer)), 30),
        }),
      ],
    },
    codes: 'ERROR txFailed opNotSupported',
  },
  {
    rule: 'TransactionFrame::applyOperations: an operation sees what those before it did',
    when: 'a line is opened and paid into',
    send: {
      operations: [trust(OWN, '1000', dave), pay(dave, '7', OWN), pay(bob, '7', OWN, dave)],
      signers: [alice, dave],
    },
    codes: 'txSuccess changeTrustSuccess paymentSuccess paymentSuccess',
    changes: {
      ...ownLine,
      'dave OWN flags': 1n,
      'alice OWN': -7n * UNIT,
      'bob OWN': 7n * UNIT,
    },
  },
]
