import { type Asset, type Keypair, Operation } from '@stellar/stellar-sdk'
import { addressOf, alice, bob, carol, dave, issuer, OWN, UNIT, WRD, warden } from '../people.ts'
import type { Row } from '../row.ts'
import { options, raw } from '../words.ts'

const take = (from: Keypair, amount: string, asset: Asset = WRD) =>
  Operation.clawback({ from: addressOf(from), amount, asset })

const malformed = 'ERROR txFailed clawbackMalformed'

/** stellar-core, ClawbackOpFrame. */
export const clawbackRows: readonly Row[] = [
  {
    rule: 'CAP-35: what is clawed back is burned',
    when: 'a part is taken',
    send: { operations: [take(alice, '20')], source: warden },
    codes: 'txSuccess clawbackSuccess',
    changes: { 'alice WRD': -20n * UNIT },
  },
  {
    rule: 'ClawbackOpFrame addBalanceSkipAuthorization: authorization does not matter',
    when: 'the holder is not authorized',
    send: { operations: [take(carol, '5')], source: warden },
    codes: 'txSuccess clawbackSuccess',
    changes: { 'carol WRD': -5n * UNIT },
  },
  {
    rule: 'ClawbackOpFrame::doApply: no more than is there',
    when: 'there is less of it',
    send: { operations: [take(alice, '50.0000001')], source: warden },
    codes: 'txFailed clawbackUnderfunded',
  },
  {
    rule: 'ClawbackOpFrame::doApply',
    when: 'there is no line',
    send: { operations: [take(dave, '1')], source: warden },
    codes: 'txFailed clawbackNoTrust',
  },
  {
    rule: 'CAP-35: a line that was opened without clawback is safe from it',
    when: 'the line knows no clawback',
    given: [{ source: issuer, operations: [options({ setFlags: 2 }), options({ setFlags: 8 })] }],
    send: { operations: [take(alice, '1', OWN)], source: issuer },
    codes: 'txFailed clawbackNotClawbackEnabled',
  },
  {
    rule: 'ClawbackOpFrame::doApply: the flag of the line decides, not that of the issuer',
    when: 'the issuer has given up clawback, and the line has not',
    given: [{ source: warden, operations: [options({ clearFlags: 8 })] }],
    send: { operations: [take(alice, '1')], source: warden },
    codes: 'txSuccess clawbackSuccess',
    changes: { 'alice WRD': -UNIT },
  },
  {
    rule: 'ClawbackOpFrame::doApply: the flag is looked at before the balance',
    when: 'the line knows no clawback and has not enough either',
    send: { operations: [take(alice, '900', OWN)], source: issuer },
    codes: 'txFailed clawbackNotClawbackEnabled',
  },
  {
    rule: 'ClawbackOpFrame::doCheckValid: only an issuer',
    when: 'somebody else is the issuer',
    send: { operations: [take(alice, '1')], source: bob },
    codes: malformed,
  },
  {
    rule: 'ClawbackOpFrame::doCheckValid: not from itself',
    when: 'the issuer takes from itself',
    send: { operations: [take(warden, '1')], source: warden },
    codes: malformed,
  },
  {
    rule: 'ClawbackOpFrame::doCheckValid: an amount is above zero',
    when: 'nothing is taken',
    send: { operations: [raw.clawback(alice, WRD.toXdrObject(), 0n)], source: warden },
    codes: malformed,
  },
  {
    rule: 'ClawbackOpFrame::doCheckValid: lumens have no issuer',
    when: 'lumens are taken',
    send: { operations: [raw.clawback(bob, raw.native.toXdrObject(), 5n)] },
    codes: malformed,
  },
  {
    rule: 'ClawbackOpFrame::getThresholdLevel: medium',
    when: 'the medium threshold is not met',
    given: [{ source: warden, operations: [options({ medThreshold: 2, highThreshold: 2 })] }],
    send: { operations: [take(alice, '1')], source: warden },
    codes: 'ERROR txFailed opBadAuth',
  },
]
