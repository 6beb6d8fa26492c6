import { Asset, Operation, xdr } from '@stellar/stellar-sdk'
import {
  addressOf,
  alice,
  bob,
  carol,
  dave,
  erin,
  issuer,
  newcomer,
  nobody,
  OWN,
  poor,
} from '../people.ts'
import type { Parts, Row } from '../row.ts'
import { unchecked } from '../unchecked.ts'
import { begin, data, end, options, raw, signerName, trust } from '../words.ts'

const success = 'txSuccess revokeSponsorshipSuccess'
const sponsored = `txSuccess beginSponsoringFutureReservesSuccess revokeSponsorshipSuccess endSponsoringFutureReservesSuccess`
const from = (who: typeof alice) => ({ source: addressOf(who) })

const ofAccount = (account: typeof alice, by = erin) =>
  Operation.revokeAccountSponsorship({ account: addressOf(account), ...from(by) })
const ofLine = (account: typeof alice, by = erin, asset: Asset = OWN) =>
  Operation.revokeTrustlineSponsorship({ account: addressOf(account), asset, ...from(by) })
const ofData = (account: typeof alice, by = erin, name = 'note') =>
  Operation.revokeDataSponsorship({ account: addressOf(account), name, ...from(by) })
const ofSigner = (account: typeof alice, by = erin) =>
  Operation.revokeSignerSponsorship({
    account: addressOf(account),
    signer: { ed25519PublicKey: addressOf(carol) },
    ...from(by),
  })

/** Erin holds the reserve of something of Dave's. */
const heldByErin = (...operations: Parts['operations']): Parts => ({
  operations: [begin(dave, erin), ...operations, end(dave)],
  signers: [alice, erin, dave],
})
const line = heldByErin(trust(OWN, '1000', dave))
const note = heldByErin(data('note', 'hello', dave))
const signer = heldByErin(
  options({ signer: { ed25519PublicKey: addressOf(carol), weight: 1 } }, dave),
)
const account: Parts = {
  operations: [
    begin(newcomer, erin),
    Operation.createAccount({ destination: addressOf(newcomer), startingBalance: '5' }),
    end(newcomer),
  ],
  signers: [alice, erin, newcomer],
}

const back = { 'dave sponsored': -1n, 'erin sponsoring': -1n } as const
const moved = { 'erin sponsoring': -1n, 'bob sponsoring': 1n } as const
const taken = { 'dave sponsored': 1n, 'bob sponsoring': 1n } as const
const carolForDave = `dave signer ${signerName(carol)}`

/** stellar-core, RevokeSponsorshipOpFrame: what is revoked goes to the owner, or to the source's own sponsor. */
export const revokeSponsorshipRows: readonly Row[] = [
  {
    rule: 'CAP-33: a reserve goes back to the owner',
    when: 'the sponsor of a line lets go',
    given: [line],
    send: { operations: [ofLine(dave)], source: erin },
    codes: success,
    changes: { ...back, 'dave OWN sponsor': '' },
  },
  {
    rule: 'CAP-33: a reserve goes back to the owner',
    when: 'the sponsor of data lets go',
    given: [note],
    send: { operations: [ofData(dave)], source: erin },
    codes: success,
    changes: { ...back, 'dave data note': 'hello' },
  },
  {
    rule: 'CAP-33: a reserve goes back to the owner',
    when: 'the sponsor of a signer lets go',
    given: [signer],
    send: { operations: [ofSigner(dave)], source: erin },
    codes: success,
    changes: { ...back, [carolForDave]: 'weight 1' },
  },
  {
    rule: 'CAP-33: both reserves of an account go back to it',
    when: 'the sponsor of an account lets go',
    given: [account],
    send: { operations: [ofAccount(newcomer)], source: erin },
    codes: success,
    changes: {
      'newcomer sponsored': -2n,
      'newcomer sponsor': '',
      'erin sponsoring': -2n,
    },
  },
  {
    rule: 'canRemoveSponsorshipHelper: the owner must be able to hold it',
    when: 'the owner of data cannot hold its reserve',
    given: [
      {
        operations: [begin(poor, erin), data('note', 'hello', poor), end(poor)],
        signers: [alice, erin, poor],
      },
    ],
    send: { operations: [ofData(poor)], source: erin },
    codes: 'txFailed revokeSponsorshipLowReserve',
  },
  {
    rule: 'canRemoveSponsorshipHelper: an account must be able to hold its reserves',
    when: 'the account cannot hold its reserves',
    given: [
      {
        operations: [
          begin(newcomer, erin),
          Operation.createAccount({ destination: addressOf(newcomer), startingBalance: '0.9' }),
          end(newcomer),
        ],
        signers: [alice, erin, newcomer],
      },
    ],
    send: { operations: [ofAccount(newcomer)], source: erin },
    codes: 'txFailed revokeSponsorshipLowReserve',
  },
  {
    rule: 'CAP-33: a reserve goes on to whoever sponsors the sponsor',
    when: 'a line goes from one sponsor to another',
    given: [line],
    send: { operations: [begin(erin, bob), ofLine(dave), end(erin)], signers: [alice, bob, erin] },
    codes: sponsored,
    changes: { ...moved, 'dave OWN sponsor': ' held by bob' },
  },
  {
    rule: 'CAP-33: a reserve goes on to whoever sponsors the sponsor',
    when: 'data go from one sponsor to another',
    given: [note],
    send: { operations: [begin(erin, bob), ofData(dave), end(erin)], signers: [alice, bob, erin] },
    codes: sponsored,
    changes: { ...moved, 'dave data note': 'hello held by bob' },
  },
  {
    rule: 'CAP-33: a reserve goes on to whoever sponsors the sponsor',
    when: 'a signer goes from one sponsor to another',
    given: [signer],
    send: {
      operations: [begin(erin, bob), ofSigner(dave), end(erin)],
      signers: [alice, bob, erin],
    },
    codes: sponsored,
    changes: { ...moved, [carolForDave]: 'weight 1 held by bob' },
  },
  {
    rule: 'CAP-33: a reserve goes on to whoever sponsors the sponsor',
    when: 'an account goes from one sponsor to another',
    given: [account],
    send: {
      operations: [begin(erin, bob), ofAccount(newcomer), end(erin)],
      signers: [alice, bob, erin],
    },
    codes: sponsored,
    changes: {
      'newcomer sponsor': ' held by bob',
      'erin sponsoring': -2n,
      'bob sponsoring': 2n,
    },
  },
  {
    rule: 'canTransferSponsorshipHelper: the next sponsor must be able to hold it',
    when: 'the next sponsor cannot hold the reserve',
    given: [line],
    send: {
      operations: [begin(erin, poor), ofLine(dave), end(erin)],
      signers: [alice, poor, erin],
    },
    codes:
      'txFailed beginSponsoringFutureReservesSuccess revokeSponsorshipLowReserve ' +
      'endSponsoringFutureReservesSuccess',
  },
  {
    rule: 'RevokeSponsorshipOpFrame: sponsored by the owner, a reserve goes back to the owner',
    when: 'the owner of the line sponsors its sponsor',
    given: [line],
    send: {
      operations: [begin(erin, dave), ofLine(dave), end(erin)],
      signers: [alice, dave, erin],
    },
    codes: sponsored,
    changes: { ...back, 'dave OWN sponsor': '' },
  },
  {
    rule: 'CAP-33: an owner may hand over a reserve of its own',
    when: 'the owner of a line gets a sponsor for it',
    given: [{ source: dave, operations: [trust(OWN)] }],
    send: {
      operations: [begin(dave, bob), ofLine(dave, dave), end(dave)],
      signers: [alice, bob, dave],
    },
    codes: sponsored,
    changes: { ...taken, 'dave OWN sponsor': ' held by bob' },
  },
  {
    rule: 'CAP-33: an owner may hand over a reserve of its own',
    when: 'the owner of a signer gets a sponsor for it',
    given: [
      {
        source: dave,
        operations: [options({ signer: { ed25519PublicKey: addressOf(carol), weight: 1 } })],
      },
    ],
    send: {
      operations: [begin(dave, bob), ofSigner(dave, dave), end(dave)],
      signers: [alice, bob, dave],
    },
    codes: sponsored,
    changes: { ...taken, [carolForDave]: 'weight 1 held by bob' },
  },
  {
    rule: 'CAP-33: an account may hand over reserves of its own',
    when: 'an account gets a sponsor',
    send: {
      operations: [begin(dave, bob), ofAccount(dave, dave), end(dave)],
      signers: [alice, bob, dave],
    },
    codes: sponsored,
    changes: { 'dave sponsored': 2n, 'dave sponsor': ' held by bob', 'bob sponsoring': 2n },
  },
  {
    rule: 'canEstablishSponsorshipHelper: the sponsor must be able to hold it',
    when: 'who would sponsor an account cannot hold its reserves',
    send: {
      operations: [begin(dave, poor), ofAccount(dave, dave), end(dave)],
      signers: [alice, poor, dave],
    },
    codes:
      'txFailed beginSponsoringFutureReservesSuccess revokeSponsorshipLowReserve ' +
      'endSponsoringFutureReservesSuccess',
  },
  {
    rule: 'tooManySponsoring: sponsored reserves fit 32 bits',
    when: 'who would sponsor a line sponsors as much as can be counted',
    given: [{ source: dave, operations: [trust(OWN)] }],
    doctored: [{ who: erin, sponsoring: 4_294_967_295, balance: 2n ** 62n }],
    send: {
      operations: [begin(dave, erin), ofLine(dave, dave), end(dave)],
      signers: [alice, erin, dave],
    },
    codes:
      'txFailed beginSponsoringFutureReservesSuccess opTooManySponsoring ' +
      'endSponsoringFutureReservesSuccess',
  },
  {
    rule: 'RevokeSponsorshipOpFrame: nothing was sponsored, and nothing is',
    when: 'the owner of a line lets go of it without a sponsor',
    send: { operations: [ofLine(alice, alice)] },
    codes: success,
  },
  {
    rule: 'RevokeSponsorshipOpFrame: only the sponsor lets go',
    when: 'the owner of a sponsored line revokes',
    given: [line],
    send: { operations: [ofLine(dave, dave)], source: dave },
    codes: 'txFailed revokeSponsorshipNotSponsor',
  },
  {
    rule: 'RevokeSponsorshipOpFrame: only the owner hands over what nobody sponsors',
    when: 'somebody revokes a line that nobody sponsors',
    send: { operations: [ofLine(alice)], source: erin },
    codes: 'txFailed revokeSponsorshipNotSponsor',
  },
  {
    rule: 'RevokeSponsorshipOpFrame: only the sponsor lets go',
    when: 'somebody revokes a signer that another sponsors',
    given: [signer],
    send: { operations: [ofSigner(dave, bob)], source: bob },
    codes: 'txFailed revokeSponsorshipNotSponsor',
  },
  {
    rule: 'RevokeSponsorshipOpFrame::updateLedgerEntrySponsorship',
    when: 'the account does not exist',
    send: { operations: [ofAccount(nobody, alice)] },
    codes: 'txFailed revokeSponsorshipDoesNotExist',
  },
  {
    rule: 'RevokeSponsorshipOpFrame::updateLedgerEntrySponsorship',
    when: 'the data do not exist',
    send: { operations: [ofData(alice, alice)] },
    codes: 'txFailed revokeSponsorshipDoesNotExist',
  },
  {
    rule: 'RevokeSponsorshipOpFrame::updateSignerSponsorship',
    when: 'the signer does not exist',
    send: { operations: [ofSigner(alice, alice)] },
    codes: 'txFailed revokeSponsorshipDoesNotExist',
  },
  {
    rule: 'RevokeSponsorshipOpFrame::updateSignerSponsorship',
    when: 'the account of the signer does not exist',
    send: { operations: [ofSigner(nobody, alice)] },
    codes: 'txFailed revokeSponsorshipDoesNotExist',
  },
  {
    rule: 'RevokeSponsorshipOpFrame::doCheckValid (protocol 15): an issuer has no line to itself',
    when: 'it is about the line of an issuer to itself',
    send: { operations: [ofLine(issuer, alice)] },
    codes: 'ERROR txFailed revokeSponsorshipMalformed',
  },
  {
    rule: 'RevokeSponsorshipOpFrame::doCheckValid (protocol 15): lumens have no lines',
    when: 'it is about a line of lumens',
    send: { operations: [ofLine(alice, alice, Asset.native())] },
    codes: 'ERROR txFailed revokeSponsorshipMalformed',
  },
  {
    rule: 'RevokeSponsorshipOpFrame::doCheckValid (protocol 15): names are plain',
    when: 'it is about data without a name',
    send: {
      operations: [
        raw.revoke(
          xdr.LedgerKey.data(
            new xdr.LedgerKeyData({ accountId: raw.publicKey(alice), dataName: '' }),
          ),
        ),
      ],
    },
    codes: 'ERROR txFailed revokeSponsorshipMalformed',
  },
  {
    rule: 'RevokeSponsorshipOpFrame::doCheckValid: contract entries have no sponsors',
    when: 'it is about a lifetime',
    send: (net) =>
      unchecked(net, {
        operations: [
          raw.revoke(xdr.LedgerKey.ttl(new xdr.LedgerKeyTtl({ keyHash: new Uint8Array(32) }))),
        ],
      }),
    fee: 100n,
    codes: 'ERROR txFailed revokeSponsorshipMalformed',
  },
]
