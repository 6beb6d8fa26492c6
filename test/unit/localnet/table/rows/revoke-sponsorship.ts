import { type Asset, type Keypair, Operation, xdr } from '@stellar/stellar-sdk'
import {
  addressOf,
  alice,
  bob,
  carol,
  dave,
  erin,
  issuer,
  missing,
  newcomer,
  poor,
  USD,
  XLM,
} from '../accounts.ts'
import { create, data, signer, sponsored, trust } from '../operations.ts'
import { rawTx } from '../raw-envelopes.ts'
import { raw } from '../raw-operations.ts'
import { fails, rejected, rows, succeeds } from '../row.ts'
import { from } from '../transaction.ts'

const by = (source: Keypair) => ({ source: addressOf(source) })

const ofAccount = (account: Keypair, source = erin) =>
  Operation.revokeAccountSponsorship({ account: addressOf(account), ...by(source) })
const ofLine = (account: Keypair, source = erin, asset: Asset = USD) =>
  Operation.revokeTrustlineSponsorship({ account: addressOf(account), asset, ...by(source) })
const ofData = (account: Keypair, source = erin) =>
  Operation.revokeDataSponsorship({ account: addressOf(account), name: 'note', ...by(source) })
const ofSigner = (account: Keypair, source = erin) =>
  Operation.revokeSignerSponsorship({
    account: addressOf(account),
    signer: { ed25519PublicKey: addressOf(carol) },
    ...by(source),
  })

/** erin sponsors an entry of dave, or an account. */
const line = { given: sponsored(erin, dave, trust(USD, '1000', dave)) }
const note = { given: sponsored(erin, dave, data('note', 'hello', dave)) }
const carolSigns = { given: sponsored(erin, dave, signer(carol, 1, dave)) }
const account = { given: sponsored(erin, newcomer, create(newcomer, '5')) }

const toDave = 'dave sponsored -1, erin sponsoring -1'
const toBob = 'erin sponsoring -1, bob sponsoring +1'
const fromDaveToBob = 'dave sponsored +1, bob sponsoring +1'
const lifetime = xdr.LedgerKey.ttl(new xdr.LedgerKeyTtl({ keyHash: new Uint8Array(32) }))

/** stellar-core, RevokeSponsorshipOpFrame: the reserve moves to the owner, or to the sponsor of the source. */
export const revokeSponsorshipRows = rows({
  'CAP-33: the reserve moves to the owner': [
    succeeds('the sponsor of a line revokes', from(erin, ofLine(dave)), {
      ...line,
      changes: `${toDave}, dave USD sponsor removed`,
    }),
    succeeds('the sponsor of data revokes', from(erin, ofData(dave)), {
      ...note,
      changes: `${toDave}, dave data note = hello`,
    }),
    succeeds('the sponsor of a signer revokes', from(erin, ofSigner(dave)), {
      ...carolSigns,
      changes: `${toDave}, dave signer carol = weight 1`,
    }),
    succeeds('the sponsor of an account revokes', from(erin, ofAccount(newcomer)), {
      ...account,
      changes: 'newcomer sponsored -2, newcomer sponsor removed, erin sponsoring -2',
    }),
  ],
  canRemoveSponsorshipHelper: [
    fails('LowReserve', 'the owner of data cannot hold its reserve', from(erin, ofData(poor)), {
      given: sponsored(erin, poor, data('note', 'hello', poor)),
    }),
    fails('LowReserve', 'an account cannot hold its reserves', from(erin, ofAccount(newcomer)), {
      given: sponsored(erin, newcomer, create(newcomer, '0.9')),
    }),
  ],
  'CAP-33: the reserve moves to the sponsor of the source': [
    succeeds('the sponsor of a line has a sponsor', sponsored(bob, erin, ofLine(dave)), {
      ...line,
      changes: `${toBob}, dave USD sponsor = bob`,
    }),
    succeeds('the sponsor of data has a sponsor', sponsored(bob, erin, ofData(dave)), {
      ...note,
      changes: `${toBob}, dave data note = hello (sponsor bob)`,
    }),
    succeeds('the sponsor of a signer has a sponsor', sponsored(bob, erin, ofSigner(dave)), {
      ...carolSigns,
      changes: `${toBob}, dave signer carol = weight 1 (sponsor bob)`,
    }),
    succeeds('the sponsor of an account has a sponsor', sponsored(bob, erin, ofAccount(newcomer)), {
      ...account,
      changes: 'newcomer sponsor = bob, erin sponsoring -2, bob sponsoring +2',
    }),
    succeeds('the owner of a line has a sponsor', sponsored(bob, dave, ofLine(dave, dave)), {
      given: from(dave, trust(USD)),
      changes: `${fromDaveToBob}, dave USD sponsor = bob`,
    }),
    succeeds('the owner of a signer has a sponsor', sponsored(bob, dave, ofSigner(dave, dave)), {
      given: from(dave, signer(carol)),
      changes: `${fromDaveToBob}, dave signer carol = weight 1 (sponsor bob)`,
    }),
    succeeds('an account has a sponsor', sponsored(bob, dave, ofAccount(dave, dave)), {
      changes: 'dave sponsored +2, dave sponsor = bob, bob sponsoring +2',
    }),
  ],
  canTransferSponsorshipHelper: fails(
    'ok LowReserve ok',
    'the next sponsor cannot hold it',
    sponsored(poor, erin, ofLine(dave)),
    line,
  ),
  canEstablishSponsorshipHelper: fails(
    'ok LowReserve ok',
    'the sponsor cannot hold both reserves',
    sponsored(poor, dave, ofAccount(dave, dave)),
  ),
  tooManySponsoring: fails(
    'ok opTooManySponsoring ok',
    'the sponsored reserves of the sponsor would pass 32 bits',
    sponsored(erin, dave, ofLine(dave, dave)),
    {
      given: from(dave, trust(USD)),
      ledger: { erin: { sponsoring: 4_294_967_295, balance: 2n ** 62n } },
    },
  ),
  RevokeSponsorshipOpFrame: [
    succeeds('the owner sponsors the sponsor of its line', sponsored(dave, erin, ofLine(dave)), {
      ...line,
      changes: `${toDave}, dave USD sponsor removed`,
    }),
    succeeds('the line has no sponsor and its owner revokes', ofLine(alice, alice)),
    fails(
      'NotSponsor',
      'the owner revokes, and has a sponsor',
      from(dave, ofLine(dave, dave)),
      line,
    ),
    fails('NotSponsor', 'the line has no sponsor', from(erin, ofLine(alice))),
    fails('NotSponsor', 'another account revokes', from(bob, ofSigner(dave, bob)), carolSigns),
  ],
  'RevokeSponsorshipOpFrame::updateLedgerEntrySponsorship': [
    fails('DoesNotExist', 'the account is missing', ofAccount(missing, alice)),
    fails('DoesNotExist', 'the data are missing', ofData(alice, alice)),
  ],
  'RevokeSponsorshipOpFrame::updateSignerSponsorship': [
    fails('DoesNotExist', 'the signer is missing', ofSigner(alice, alice)),
    fails('DoesNotExist', 'the account of the signer is missing', ofSigner(missing, alice)),
  ],
  'RevokeSponsorshipOpFrame::doCheckValid (protocol 15)': [
    rejected('Malformed', 'the line is of an issuer to its own asset', ofLine(issuer, alice)),
    rejected('Malformed', 'the line is of XLM', ofLine(alice, alice, XLM)),
    rejected('Malformed', 'the name of the data is empty', raw.revoke(raw.dataKey(alice, ''))),
  ],
  'RevokeSponsorshipOpFrame::doCheckValid': rejected(
    'Malformed',
    'the entry is the lifetime of a contract entry',
    rawTx({ operations: [raw.revoke(lifetime)] }),
  ),
})
