import { type Keypair, xdr } from '@stellar/stellar-sdk'
import { addressOf, alice, bob, carol, dave, erin, missing, poor, UNIT } from '../accounts.ts'
import { highThreshold2, options, signedPayload, signer, sponsored } from '../operations.ts'
import { rawTx } from '../raw-envelopes.ts'
import { ed25519Signer, raw } from '../raw-operations.ts'
import { fails, rejected, rows, succeeds } from '../row.ts'
import { from } from '../transaction.ts'

const [REQUIRED, REVOCABLE, IMMUTABLE, CLAWBACK] = [1, 2, 4, 8] as const
const setFlags = (flag: 1 | 2 | 4 | 8) => options({ setFlags: flag })
const clearFlag = (flag: 2 | 4) => options({ clearFlags: flag })
const setAndClear = (flag: number) => raw.setOptions({ setFlags: flag, clearFlags: flag })
const home = (homeDomain: string) => options({ homeDomain })
const inflationTo = (account: Keypair) => options({ inflationDest: addressOf(account) })
const clawbackEnabled = [setFlags(REVOCABLE), setFlags(CLAWBACK)]
const clearBoth = raw.setOptions({ clearFlags: REVOCABLE | CLAWBACK })

const manySigners = Array.from({ length: 20 }, (_, index) => ({
  key: xdr.SignerKey.signerKeyTypeHashX(Buffer.alloc(32, index + 1)),
  weight: 1,
}))
const emptyPayload = new xdr.Signer({
  key: xdr.SignerKey.signerKeyTypeEd25519SignedPayload(signedPayload(carol, new Uint8Array())),
  weight: 1,
})
const withEmptyPayload = rawTx({ operations: [raw.setOptions({ signer: emptyPayload })] })
const ofWeight256 = raw.setOptions({ signer: ed25519Signer(carol, 256) })
const flagAndSigner = options({
  setFlags: CLAWBACK,
  signer: { ed25519PublicKey: addressOf(carol), weight: 1 },
})
const sponsoredSigner = sponsored(erin, poor, signer(carol, 3, poor))

/** stellar-core, SetOptionsOpFrame. */
export const setOptionsRows = rows({
  isString32Valid: [
    rejected('InvalidHomeDomain', 'the home domain has a line break', home('example\n.com')),
    rejected('InvalidHomeDomain', 'the home domain is not ASCII', home('exämple.com')),
  ],
  'SetOptionsOpFrame::doCheckValid': [
    rejected('ThresholdOutOfRange', 'a threshold is 256', raw.setOptions({ highThreshold: 256 })),
    rejected(
      'ThresholdOutOfRange',
      'the master weight is 256',
      raw.setOptions({ masterWeight: 256 }),
    ),
    rejected('UnknownFlag', 'it sets and clears an unknown flag', setAndClear(16)),
    rejected('BadFlags', 'it sets and clears a flag', setAndClear(REQUIRED)),
    rejected('BadSigner', 'the signer is the master key', signer(alice)),
    rejected('BadSigner', 'the weight of the signer is 256 (protocol 10)', ofWeight256),
  ],
  'CAP-40': rejected('BadSigner', 'the payload of the signer is empty', withEmptyPayload),
  'SetOptionsOpFrame::doApply': [
    succeeds('nothing is set', options({})),
    succeeds('a home domain is set', home('example.com'), 'alice home = example.com'),
    succeeds(
      'thresholds and the master weight are set',
      options({ masterWeight: 10, lowThreshold: 1, medThreshold: 5, highThreshold: 10 }),
      'alice thresholds = 10/1/5/10',
    ),
    succeeds('the inflation destination exists', inflationTo(bob), {
      changes: 'alice inflation destination = bob',
    }),
    fails('InvalidInflation', 'the inflation destination is missing', inflationTo(missing)),
    succeeds('authorization becomes required', setFlags(REQUIRED), 'alice flags +1'),
    fails('CantChange', 'an immutable account sets a flag', setFlags(REQUIRED), {
      given: setFlags(IMMUTABLE),
    }),
    fails('CantChange', 'an immutable account clears that flag', clearFlag(IMMUTABLE), {
      given: setFlags(IMMUTABLE),
    }),
    fails(
      'AuthRevocableRequired',
      'the flags are invalid, and the reserve is short',
      from(poor, flagAndSigner),
    ),
  ],
  'SetOptionsOpFrame allAccountAuthFlags (CAP-35)': [
    fails('CantChange', 'an immutable account enables clawback', setFlags(CLAWBACK), {
      given: [setFlags(REVOCABLE), setFlags(IMMUTABLE)],
    }),
  ],
  'accountFlagClawbackIsValid (CAP-35)': [
    fails('AuthRevocableRequired', 'clawback comes alone', setFlags(CLAWBACK)),
    fails('AuthRevocableRequired', 'clawback stays alone', clearFlag(REVOCABLE), {
      given: clawbackEnabled,
    }),
    succeeds('revocation and clawback are cleared together', clearBoth, {
      given: clawbackEnabled,
      changes: 'alice flags -10',
    }),
  ],
  'SetOptionsOpFrame::addOrChangeSigner': [
    succeeds('a signer is added', signer(carol, 7), {
      changes: 'alice signer carol = weight 7, alice subentries +1',
    }),
    succeeds('a signer gets another weight', signer(carol, 8), {
      given: signer(carol, 7),
      changes: 'alice signer carol = weight 8',
    }),
  ],
  'SetOptionsOpFrame::deleteSigner': [
    succeeds('a signer is removed by weight 0', signer(carol, 0), {
      given: signer(carol, 7),
      changes: 'alice signer carol removed, alice subentries -1',
    }),
    succeeds('a missing signer is removed', signer(carol, 0)),
  ],
  canCreateSignerWithoutSponsorship: [
    fails('LowReserve', 'the reserve is short', from(poor, signer(carol))),
    fails('opTooManySubentries', 'the account has 1,000 subentries', from(dave, signer(carol)), {
      ledger: { dave: { subEntries: 1_000, balance: 10_000n * UNIT } },
    }),
  ],
  AccountEntry: fails('TooManySigners', 'the account has 20 signers', signer(carol), {
    ledger: { alice: { signers: manySigners, subEntries: 22 } },
  }),
  'CAP-33': [
    succeeds('a sponsor holds the reserve of the signer of a poor account', sponsoredSigner, {
      changes:
        'poor signer carol = weight 3 (sponsor erin), poor subentries +1, poor sponsored +1, erin sponsoring +1',
    }),
    succeeds('a sponsored signer is removed', from(poor, signer(carol, 0)), {
      given: sponsoredSigner,
      changes:
        'poor signer carol removed, poor subentries -1, poor sponsored -1, erin sponsoring -1',
    }),
  ],
  'SetOptionsOpFrame::getThresholdLevel': [
    rejected('opBadAuth', 'a signer is added, and the high threshold not met', signer(carol), {
      given: highThreshold2,
    }),
    succeeds('a home is set, and the medium threshold met', home('a.b'), {
      given: highThreshold2,
      changes: 'alice home = a.b',
    }),
  ],
})
