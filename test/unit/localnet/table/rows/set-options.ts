import { xdr } from '@stellar/stellar-sdk'
import { addressOf, alice, bob, carol, dave, erin, nobody, poor, UNIT } from '../people.ts'
import type { Row } from '../row.ts'
import { unchecked } from '../unchecked.ts'
import { begin, end, options, raw, signerName } from '../words.ts'

const by = (who: typeof alice, weight: number) => ({
  signer: { ed25519PublicKey: addressOf(who), weight },
})
const carolSigns = `alice signer ${signerName(carol)}`
const manySigners = Array.from({ length: 20 }, (_, index) => ({
  key: xdr.SignerKey.signerKeyTypeHashX(Buffer.alloc(32, index + 1)),
  weight: 1,
}))

/** stellar-core, SetOptionsOpFrame. */
export const setOptionsRows: readonly Row[] = [
  {
    rule: 'SetOptionsOpFrame::doApply: what is not named stays',
    when: 'nothing is set',
    send: { operations: [options({})] },
    codes: 'txSuccess setOptionsSuccess',
  },
  {
    rule: 'SetOptionsOpFrame::doApply',
    when: 'the home domain is set',
    send: { operations: [options({ homeDomain: 'example.com' })] },
    codes: 'txSuccess setOptionsSuccess',
    changes: { 'alice home': 'example.com' },
  },
  {
    rule: 'isString32Valid: no control characters',
    when: 'the home domain has a line break',
    send: { operations: [options({ homeDomain: 'example\n.com' })] },
    codes: 'ERROR txFailed setOptionsInvalidHomeDomain',
  },
  {
    rule: 'isString32Valid: ASCII only',
    when: 'the home domain has an umlaut',
    send: { operations: [options({ homeDomain: 'exämple.com' })] },
    codes: 'ERROR txFailed setOptionsInvalidHomeDomain',
  },
  {
    rule: 'SetOptionsOpFrame::doApply',
    when: 'thresholds and the master weight are set',
    send: {
      operations: [
        options({ masterWeight: 10, lowThreshold: 1, medThreshold: 5, highThreshold: 10 }),
      ],
    },
    codes: 'txSuccess setOptionsSuccess',
    changes: { 'alice thresholds': '10/1/5/10' },
  },
  {
    rule: 'SetOptionsOpFrame::doCheckValid: thresholds are bytes',
    when: 'a threshold is beyond a byte',
    send: { operations: [raw.setOptions({ highThreshold: 256 })] },
    codes: 'ERROR txFailed setOptionsThresholdOutOfRange',
  },
  {
    rule: 'SetOptionsOpFrame::doCheckValid: weights are bytes',
    when: 'the master weight is beyond a byte',
    send: { operations: [raw.setOptions({ masterWeight: 256 })] },
    codes: 'ERROR txFailed setOptionsThresholdOutOfRange',
  },
  {
    rule: 'SetOptionsOpFrame::doApply: an heir of inflation must exist',
    when: 'the heir of inflation does not exist',
    send: { operations: [options({ inflationDest: addressOf(nobody) })] },
    codes: 'txFailed setOptionsInvalidInflation',
  },
  {
    rule: 'SetOptionsOpFrame::doApply',
    when: 'the heir of inflation exists',
    send: { operations: [options({ inflationDest: addressOf(bob) })] },
    codes: 'txSuccess setOptionsSuccess',
    changes: { 'alice heir': 'named' },
  },
  {
    rule: 'SetOptionsOpFrame::doCheckValid: flags that there are not are told first',
    when: 'an unknown flag is set and cleared',
    send: { operations: [raw.setOptions({ setFlags: 16, clearFlags: 16 })] },
    codes: 'ERROR txFailed setOptionsUnknownFlag',
  },
  {
    rule: 'SetOptionsOpFrame::doCheckValid',
    when: 'a flag is set and cleared',
    send: { operations: [options({ setFlags: 1, clearFlags: 1 })] },
    codes: 'ERROR txFailed setOptionsBadFlags',
  },
  {
    rule: 'SetOptionsOpFrame::doApply',
    when: 'authorization is asked for',
    send: { operations: [options({ setFlags: 1 })] },
    codes: 'txSuccess setOptionsSuccess',
    changes: { 'alice flags': 1n },
  },
  {
    rule: 'accountFlagClawbackIsValid (CAP-35): clawback comes with revocation',
    when: 'clawback comes without revocation',
    send: { operations: [options({ setFlags: 8 })] },
    codes: 'txFailed setOptionsAuthRevocableRequired',
  },
  {
    rule: 'accountFlagClawbackIsValid (CAP-35): revocation stays as long as clawback does',
    when: 'revocation goes before clawback',
    given: [{ operations: [options({ setFlags: 2 }), options({ setFlags: 8 })] }],
    send: { operations: [options({ clearFlags: 2 })] },
    codes: 'txFailed setOptionsAuthRevocableRequired',
  },
  {
    rule: 'accountFlagClawbackIsValid (CAP-35): both may go at once',
    when: 'revocation goes with clawback',
    given: [{ operations: [options({ setFlags: 2 }), options({ setFlags: 8 })] }],
    send: { operations: [raw.setOptions({ clearFlags: 10 })] },
    codes: 'txSuccess setOptionsSuccess',
    changes: { 'alice flags': -10n },
  },
  {
    rule: 'SetOptionsOpFrame::doApply: what is immutable stays',
    when: 'an immutable account would ask for authorization',
    given: [{ operations: [options({ setFlags: 4 })] }],
    send: { operations: [options({ setFlags: 1 })] },
    codes: 'txFailed setOptionsCantChange',
  },
  {
    rule: 'SetOptionsOpFrame allAccountAuthFlags (CAP-35): clawback is among what stays',
    when: 'an immutable account would take to clawback',
    given: [{ operations: [options({ setFlags: 2 }), options({ setFlags: 4 })] }],
    send: { operations: [options({ setFlags: 8 })] },
    codes: 'txFailed setOptionsCantChange',
  },
  {
    rule: 'SetOptionsOpFrame::doApply: what is immutable stays',
    when: 'an account would no longer be immutable',
    given: [{ operations: [options({ setFlags: 4 })] }],
    send: { operations: [options({ clearFlags: 4 })] },
    codes: 'txFailed setOptionsCantChange',
  },
  {
    rule: 'SetOptionsOpFrame::addOrChangeSigner: a signer is a subentry',
    when: 'a signer is added',
    send: { operations: [options(by(carol, 7))] },
    codes: 'txSuccess setOptionsSuccess',
    changes: { [carolSigns]: 'weight 7', 'alice subentries': 1n },
  },
  {
    rule: 'SetOptionsOpFrame::addOrChangeSigner',
    when: 'a signer gets another weight',
    given: [{ operations: [options(by(carol, 7))] }],
    send: { operations: [options(by(carol, 8))] },
    codes: 'txSuccess setOptionsSuccess',
    changes: { [carolSigns]: 'weight 8' },
  },
  {
    rule: 'SetOptionsOpFrame::deleteSigner: a weight of zero removes',
    when: 'a signer is removed',
    given: [{ operations: [options(by(carol, 7))] }],
    send: { operations: [options(by(carol, 0))] },
    codes: 'txSuccess setOptionsSuccess',
    changes: { [carolSigns]: '', 'alice subentries': -1n },
  },
  {
    rule: 'SetOptionsOpFrame::deleteSigner: who is not there is gone already',
    when: 'a signer that is not there is removed',
    send: { operations: [options(by(carol, 0))] },
    codes: 'txSuccess setOptionsSuccess',
  },
  {
    rule: 'SetOptionsOpFrame::doCheckValid: the master key has a weight of its own',
    when: 'an account would sign for itself twice',
    send: { operations: [options(by(alice, 1))] },
    codes: 'ERROR txFailed setOptionsBadSigner',
  },
  {
    rule: 'SetOptionsOpFrame::doCheckValid (protocol 10): weights are bytes',
    when: 'the weight of a signer is beyond a byte',
    send: { operations: [raw.setOptions({ signer: { who: carol, weight: 256 } })] },
    codes: 'ERROR txFailed setOptionsBadSigner',
  },
  {
    rule: 'CAP-40: a payload is not empty',
    when: 'a signed payload is empty',
    send: (net) =>
      unchecked(net, {
        operations: [
          raw.setOptions({
            signer: {
              key: xdr.SignerKey.signerKeyTypeEd25519SignedPayload(
                new xdr.SignerKeyEd25519SignedPayload({
                  ed25519: carol.rawPublicKey(),
                  payload: new Uint8Array(),
                }),
              ),
              weight: 1,
            },
          }),
        ],
      }),
    fee: 100n,
    codes: 'ERROR txFailed setOptionsBadSigner',
  },
  {
    rule: 'canCreateSignerWithoutSponsorship: a signer costs half a lumen',
    when: 'the reserve is short',
    send: { operations: [options(by(carol, 1))], source: poor },
    codes: 'txFailed setOptionsLowReserve',
  },
  {
    rule: 'AccountEntry: twenty signers and no more',
    when: 'all signers are taken',
    doctored: [{ who: alice, signers: manySigners, subEntries: 22 }],
    send: { operations: [options(by(carol, 1))] },
    codes: 'txFailed setOptionsTooManySigners',
  },
  {
    rule: 'canCreateSignerWithoutSponsorship: a thousand subentries and no more',
    when: 'an account has all the entries it may have',
    doctored: [{ who: dave, subEntries: 1_000, balance: 10_000n * UNIT }],
    send: { operations: [options(by(carol, 1))], source: dave },
    codes: 'txFailed opTooManySubentries',
  },
  {
    rule: 'CAP-33: a signer may be sponsored',
    when: 'somebody sponsors the signer of a poor account',
    send: {
      operations: [begin(poor, erin), options(by(carol, 3), poor), end(poor)],
      signers: [alice, erin, poor],
    },
    codes:
      'txSuccess beginSponsoringFutureReservesSuccess setOptionsSuccess ' +
      'endSponsoringFutureReservesSuccess',
    changes: {
      [`poor signer ${signerName(carol)}`]: 'weight 3 held by erin',
      'poor subentries': 1n,
      'poor sponsored': 1n,
      'erin sponsoring': 1n,
    },
  },
  {
    rule: 'CAP-33: a sponsor gets its reserve back with the signer',
    when: 'a sponsored signer is removed',
    given: [
      {
        operations: [begin(poor, erin), options(by(carol, 3), poor), end(poor)],
        signers: [alice, erin, poor],
      },
    ],
    send: { operations: [options(by(carol, 0))], source: poor },
    codes: 'txSuccess setOptionsSuccess',
    changes: {
      [`poor signer ${signerName(carol)}`]: '',
      'poor subentries': -1n,
      'poor sponsored': -1n,
      'erin sponsoring': -1n,
    },
  },
  {
    rule: 'SetOptionsOpFrame::doApply: flags are looked at before the signer',
    when: 'neither the flags nor the reserve of the signer will do',
    send: { operations: [options({ setFlags: 8, ...by(carol, 1) })], source: poor },
    codes: 'txFailed setOptionsAuthRevocableRequired',
  },
  {
    rule: 'SetOptionsOpFrame::getThresholdLevel: who signs is decided by the high threshold',
    when: 'the medium threshold is met and a signer is added',
    given: [{ operations: [options({ highThreshold: 2 })] }],
    send: { operations: [options(by(carol, 1))] },
    codes: 'ERROR txFailed opBadAuth',
  },
  {
    rule: 'SetOptionsOpFrame::getThresholdLevel: anything else by the medium one',
    when: 'the medium threshold is met and a home is set',
    given: [{ operations: [options({ highThreshold: 2 })] }],
    send: { operations: [options({ homeDomain: 'a.b' })] },
    codes: 'txSuccess setOptionsSuccess',
    changes: { 'alice home': 'a.b' },
  },
]
