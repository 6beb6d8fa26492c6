import { type Asset, type Keypair, Operation } from '@stellar/stellar-sdk'
import { addressOf, alice, bob, carol, dave, erin, issuer, OWN, WRD, warden } from '../people.ts'
import type { Row } from '../row.ts'
import { begin, end, options, raw } from '../words.ts'

type Flags = Parameters<typeof Operation.setTrustLineFlags>[0]['flags']

const flags = (trustor: Keypair, set: Flags, asset: Asset = WRD) =>
  Operation.setTrustLineFlags({ trustor: addressOf(trustor), asset, flags: set })

const yes: Flags = { authorized: true }
const offersOnly: Flags = { authorized: false, authorizedToMaintainLiabilities: true }
const no: Flags = { authorized: false, authorizedToMaintainLiabilities: false }
const malformed = 'ERROR txFailed setTrustLineFlagsMalformed'

/** stellar-core, SetTrustLineFlagsOpFrame and TrustFlagsOpFrameBase. */
export const setTrustLineFlagsRows: readonly Row[] = [
  {
    rule: 'CAP-35: an issuer authorizes',
    when: 'somebody waits for it',
    send: { operations: [flags(bob, yes)], source: warden },
    codes: 'txSuccess setTrustLineFlagsSuccess',
    changes: { 'bob WRD flags': 1n },
  },
  {
    rule: 'CAP-35: an issuer takes authorization back',
    when: 'a holder loses everything it was allowed',
    send: { operations: [flags(alice, no)], source: warden },
    codes: 'txSuccess setTrustLineFlagsSuccess',
    changes: { 'alice WRD flags': -1n },
  },
  {
    rule: 'CAP-18: authorization comes down to keeping offers',
    when: 'a holder may only keep its offers',
    send: { operations: [flags(alice, offersOnly)], source: warden },
    codes: 'txSuccess setTrustLineFlagsSuccess',
    changes: { 'alice WRD flags': 1n },
  },
  {
    rule: 'trustLineFlagAuthIsValid: authorized, or keeping offers, not both',
    when: 'a line that may keep its offers is authorized on top',
    send: { operations: [flags(carol, yes)], source: warden },
    codes: 'txFailed setTrustLineFlagsInvalidState',
  },
  {
    rule: 'trustLineFlagAuthIsValid: one flag gives way to the other',
    when: 'a line goes from keeping offers to authorized',
    send: {
      operations: [flags(carol, { authorized: true, authorizedToMaintainLiabilities: false })],
      source: warden,
    },
    codes: 'txSuccess setTrustLineFlagsSuccess',
    changes: { 'carol WRD flags': -1n },
  },
  {
    rule: 'CAP-35: clawback of a line may be given up',
    when: 'a line is freed of clawback',
    send: { operations: [flags(alice, { clawbackEnabled: false })], source: warden },
    codes: 'txSuccess setTrustLineFlagsSuccess',
    changes: { 'alice WRD flags': -4n },
  },
  {
    rule: 'CAP-35: clawback of a line cannot be taken up again',
    when: 'a line is put under clawback',
    send: { operations: [raw.setTrustLineFlags({ trustor: alice, set: 4 })], source: warden },
    codes: malformed,
  },
  {
    rule: 'SetTrustLineFlagsOpFrame::isAuthRevocationValid: revoking takes AUTH_REVOCABLE',
    when: 'the issuer never said that it revokes',
    send: { operations: [flags(alice, no, OWN)], source: issuer },
    codes: 'txFailed setTrustLineFlagsCantRevoke',
  },
  {
    rule: 'SetTrustLineFlagsOpFrame::isAuthRevocationValid: coming down is revoking too',
    when: 'the issuer never said that it revokes, and only takes down',
    send: { operations: [flags(alice, offersOnly, OWN)], source: issuer },
    codes: 'txFailed setTrustLineFlagsCantRevoke',
  },
  {
    rule: 'SetTrustLineFlagsOpFrame::isAuthRevocationValid: authorizing is never revoking',
    when: 'an issuer that does not revoke authorizes and clears what was less',
    send: {
      operations: [flags(alice, { authorized: true, authorizedToMaintainLiabilities: false }, OWN)],
      source: issuer,
    },
    codes: 'txSuccess setTrustLineFlagsSuccess',
  },
  {
    rule: 'TrustFlagsOpFrameBase::doApply: the issuer is looked at before the line',
    when: 'the issuer never said that it revokes, and there is no line',
    send: { operations: [flags(dave, no, OWN)], source: issuer },
    codes: 'txFailed setTrustLineFlagsCantRevoke',
  },
  {
    rule: 'TrustFlagsOpFrameBase::doApply',
    when: 'there is no line',
    send: { operations: [flags(dave, yes)], source: warden },
    codes: 'txFailed setTrustLineFlagsNoTrustLine',
  },
  {
    rule: 'SetTrustLineFlagsOpFrame::doCheckValid: only an issuer',
    when: 'somebody else is the issuer',
    send: { operations: [flags(bob, yes)], source: alice },
    codes: malformed,
  },
  {
    rule: 'SetTrustLineFlagsOpFrame::doCheckValid: an issuer has no line to itself',
    when: 'it is about the issuer itself',
    send: { operations: [flags(warden, yes)], source: warden },
    codes: malformed,
  },
  {
    rule: 'SetTrustLineFlagsOpFrame::doCheckValid: lumens have no issuer',
    when: 'it is about lumens',
    send: { operations: [raw.setTrustLineFlags({ trustor: bob, set: 1, native: true })] },
    codes: malformed,
  },
  {
    rule: 'SetTrustLineFlagsOpFrame::doCheckValid: no flag is set and cleared at once',
    when: 'a flag is set and cleared',
    send: {
      operations: [raw.setTrustLineFlags({ trustor: bob, set: 1, clear: 1 })],
      source: warden,
    },
    codes: malformed,
  },
  {
    rule: 'trustLineFlagIsValid: authorized, or keeping offers, not both',
    when: 'both kinds of authorization are set',
    send: { operations: [raw.setTrustLineFlags({ trustor: bob, set: 3 })], source: warden },
    codes: malformed,
  },
  {
    rule: 'trustLineFlagMaskCheckIsValid: there are three flags',
    when: 'a flag that there is not is cleared',
    send: { operations: [raw.setTrustLineFlags({ trustor: bob, clear: 8 })], source: warden },
    codes: malformed,
  },
  {
    rule: 'SetTrustLineFlagsOpFrame::getThresholdLevel: low',
    when: 'the low threshold is met and the medium is not',
    given: [{ source: warden, operations: [options({ medThreshold: 2, highThreshold: 2 })] }],
    send: { operations: [flags(bob, yes)], source: warden },
    codes: 'txSuccess setTrustLineFlagsSuccess',
    changes: { 'bob WRD flags': 1n },
  },
  {
    rule: 'CAP-33: a line that changes stays with its sponsor',
    when: 'a sponsored line is authorized',
    given: [
      {
        operations: [
          begin(dave, erin),
          Operation.changeTrust({ asset: WRD, source: addressOf(dave) }),
          end(dave),
        ],
        signers: [alice, erin, dave],
      },
    ],
    send: { operations: [flags(dave, yes)], source: warden },
    codes: 'txSuccess setTrustLineFlagsSuccess',
    changes: { 'dave WRD flags': 1n },
  },
]
