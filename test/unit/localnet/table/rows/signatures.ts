import { Operation, StrKey, type Transaction, xdr } from '@stellar/stellar-sdk'
import type { Localnet } from '../../../../../src/localnet/network.ts'
import { addressOf, alice, bob, carol, dave, erin, nobody, UNIT, XLM } from '../people.ts'
import type { Envelope, Parts, Row } from '../row.ts'
import { unchecked } from '../unchecked.ts'
import { begin, end, merge, options, pay, sha256, signerName } from '../words.ts'
import { transactionOf } from '../world.ts'

const operations = [pay(bob, '1', XLM)]
const paid = { 'alice XLM': -UNIT, 'bob XLM': UNIT } as const
const by = (who: typeof alice, weight = 1) =>
  options({ signer: { ed25519PublicKey: addressOf(who), weight } })
const secret = Buffer.from('open sesame')
const payload = Buffer.from('signed elsewhere')
const byHash = options({ signer: { sha256Hash: sha256(secret), weight: 1 } })
const byPayload = (weight = 1): Parts => ({
  operations: [options({ signer: { ed25519SignedPayload: payloadOf(carol), weight } })],
})

/** Alice's payment, signed in a way of its own. */
const signed =
  (sign: (transaction: Transaction) => void, parts: Partial<Parts> = {}) =>
  (net: Localnet): Envelope => {
    const transaction = transactionOf(net, { operations, signers: [], ...parts })
    sign(transaction)
    return transaction
  }

/** What the next transaction of Alice's will be; authorized by its hash, it needs no signature. */
const foretold =
  (what: Parts, signer = alice) =>
  (net: Localnet): Envelope => {
    const later = transactionOf(net, { ...what, signers: [], sequenceOffset: 1n })
    const set = { signer: { preAuthTx: Buffer.from(later.hash()), weight: 1 } }
    return transactionOf(net, {
      operations: [Operation.setOptions({ ...set, source: addressOf(signer) })],
      signers: [...new Set([alice, signer])],
    })
  }
const unsigned = (what: Parts) => (net: Localnet) => transactionOf(net, { ...what, signers: [] })

const failing: Parts = { operations: [pay(nobody, '1', XLM)] }
const used = (name: string) => ({ [`${name} subentries`]: -1n })

/** stellar-core, SignatureChecker and TransactionFrame::processSignatures. */
export const signatureRows: readonly Row[] = [
  {
    rule: 'TransactionFrame::commonValid: at least one signature, though nothing is needed',
    when: 'nobody signed',
    send: { operations, signers: [] },
    codes: 'ERROR txBadAuth',
  },
  {
    rule: 'SignatureChecker: by a signer of the account',
    when: 'somebody else signed',
    send: { operations, signers: [bob] },
    codes: 'ERROR txBadAuth',
  },
  {
    rule: 'SignatureChecker::checkAllSignaturesUsed',
    when: 'somebody signed for nothing',
    send: { operations, signers: [alice, dave] },
    codes: 'ERROR txBadAuthExtra',
  },
  {
    rule: 'SignatureChecker: who was needed no longer signed for nothing',
    when: 'a signer signed where the master key would have done',
    given: [{ operations: [by(carol)] }],
    send: { operations, signers: [alice, carol] },
    codes: 'ERROR txBadAuthExtra',
  },
  {
    rule: 'SignatureChecker::checkAllSignaturesUsed: a key signs once',
    when: 'the master key signed twice',
    send: { operations, signers: [alice, alice] },
    codes: 'ERROR txBadAuthExtra',
  },
  {
    rule: 'SignatureChecker: every signer counts once',
    when: 'one key signed twice where two are needed',
    given: [{ operations: [by(carol), options({ medThreshold: 2, highThreshold: 2 })] }],
    send: { operations, signers: [alice, alice] },
    codes: 'ERROR txFailed opBadAuth',
  },
  {
    rule: 'SignatureChecker: weights add up',
    when: 'two signed where two are needed',
    given: [{ operations: [by(carol), options({ medThreshold: 2, highThreshold: 2 })] }],
    send: { operations, signers: [alice, carol] },
    codes: 'txSuccess paymentSuccess',
    changes: paid,
  },
  {
    rule: 'TransactionFrame::commonValid: the low threshold is for the transaction',
    when: 'the low threshold is not met',
    given: [
      { operations: [by(carol), options({ lowThreshold: 2, medThreshold: 2, highThreshold: 2 })] },
    ],
    send: { operations, signers: [alice] },
    codes: 'ERROR txBadAuth',
  },
  {
    rule: 'TransactionFrame::checkSignature: a master key of weight zero is none',
    when: 'the master key has no weight left',
    given: [{ operations: [by(carol), options({ masterWeight: 0 })] }],
    send: { operations },
    codes: 'ERROR txBadAuth',
  },
  {
    rule: 'TransactionFrame::checkSignature: a master key of weight zero is none',
    when: 'a signer signed where the master key has no weight left',
    given: [{ operations: [by(carol), options({ masterWeight: 0 })] }],
    send: { operations, signers: [carol] },
    codes: 'txSuccess paymentSuccess',
    changes: paid,
  },
  {
    rule: 'SignatureChecker (protocol 10): no signer weighs more than a byte',
    when: 'a weight beyond a byte stands alone against the highest threshold',
    doctored: [
      {
        who: alice,
        signers: [{ key: xdr.SignerKey.signerKeyTypeEd25519(carol.rawPublicKey()), weight: 1_000 }],
        thresholds: [0, 255, 255, 255],
        subEntries: 3,
      },
    ],
    send: { operations, signers: [carol] },
    codes: 'txSuccess paymentSuccess',
    changes: paid,
  },
  {
    rule: 'SignatureUtils::verify: the hint is the end of the key',
    when: 'the hint names somebody else',
    send: signed((transaction) => {
      const { signature } = alice.signDecorated(transaction.hash())
      transaction.signatures.push(
        new xdr.DecoratedSignature({ hint: bob.signatureHint(), signature }),
      )
    }),
    fee: 100n,
    codes: 'ERROR txBadAuth',
  },
  {
    rule: 'SignatureUtils::verify: over this transaction',
    when: 'another transaction was signed',
    send: signed((transaction) => {
      transaction.signatures.push(alice.signDecorated(sha256(transaction.hash())))
    }),
    fee: 100n,
    codes: 'ERROR txBadAuth',
  },
  {
    rule: 'SignatureUtils::verify: an ed25519 signature has 64 bytes',
    when: 'the signature is cut short',
    send: signed((transaction) => {
      const { hint, signature } = alice.signDecorated(transaction.hash())
      transaction.signatures.push(
        new xdr.DecoratedSignature({ hint, signature: signature.value.subarray(0, 63) }),
      )
    }),
    fee: 100n,
    codes: 'ERROR txBadAuth',
  },
  {
    rule: 'SignatureUtils::verifyHashX: who knows the secret signs',
    when: 'a secret is told',
    given: [{ operations: [byHash] }],
    send: signed((transaction) => transaction.signHashX(secret)),
    fee: 100n,
    codes: 'txSuccess paymentSuccess',
    changes: paid,
  },
  {
    rule: 'SignatureUtils::verifyHashX: no other secret',
    when: 'another secret is told',
    given: [{ operations: [byHash] }],
    send: signed((transaction) => transaction.signHashX(Buffer.from('open barley'))),
    fee: 100n,
    codes: 'ERROR txBadAuth',
  },
  {
    rule: 'CAP-40: who signed the payload signs',
    when: 'a payload was signed',
    given: [byPayload()],
    send: signed((transaction) => {
      transaction.signatures.push(carol.signPayloadDecorated(payload))
    }),
    fee: 100n,
    codes: 'txSuccess paymentSuccess',
    changes: paid,
  },
  {
    rule: 'CAP-40: the transaction is not the payload',
    when: 'the transaction was signed in place of the payload',
    given: [byPayload()],
    send: { operations, signers: [carol] },
    codes: 'ERROR txBadAuth',
  },
  {
    rule: 'CAP-40: a payload that came with the transaction adds to other weights',
    when: 'the master key and a payload are needed',
    given: [
      { operations: [...byPayload().operations, options({ medThreshold: 2, highThreshold: 2 })] },
    ],
    send: signed((transaction) => {
      transaction.sign(alice)
      transaction.signatures.push(carol.signPayloadDecorated(payload))
    }),
    fee: 100n,
    codes: 'txSuccess paymentSuccess',
    changes: paid,
  },
  {
    rule: 'TransactionFrame::removeOneTimeSignerFromAllSourceAccounts: a hash signs once',
    when: 'it was authorized by its hash',
    given: [foretold({ operations })],
    send: unsigned({ operations }),
    fee: 100n,
    codes: 'txSuccess paymentSuccess',
    changes: { ...paid, ...used('alice'), 'alice signer by hash': '' },
  },
  {
    rule: 'TransactionFrame::processSignatures: the hash is used up by failing too',
    when: 'it was authorized by its hash, and fails',
    given: [foretold(failing)],
    send: unsigned(failing),
    fee: 100n,
    codes: 'txFailed paymentNoDestination',
    changes: { ...used('alice'), 'alice signer by hash': '' },
  },
  {
    rule: 'TransactionFrame::checkValid: a hash is not used up by what never comes to a ledger',
    when: 'another transaction was authorized by its hash',
    given: [foretold(failing)],
    send: unsigned({ operations }),
    fee: 100n,
    codes: 'ERROR txBadAuth',
  },
  {
    rule: 'TransactionFrame::removeOneTimeSignerFromAllSourceAccounts: sources of operations included',
    when: 'the source of an operation authorized it by its hash',
    given: [foretold({ operations: [pay(alice, '1', XLM, bob)] }, bob)],
    send: { operations: [pay(alice, '1', XLM, bob)] },
    codes: 'txSuccess paymentSuccess',
    changes: {
      'alice XLM': UNIT,
      'bob XLM': -UNIT,
      ...used('bob'),
      'bob signer by hash': '',
    },
  },
  {
    rule: 'TransactionFrame::removeOneTimeSignerFromAllSourceAccounts: signed or not, it is used up',
    when: 'it was authorized by its hash, and signed',
    given: [foretold({ operations })],
    send: { operations },
    codes: 'ERROR txBadAuthExtra',
  },
  {
    rule: 'removeSignerWithPossibleSponsorship: the sponsor gets its reserve back',
    when: 'it was authorized by its hash, which somebody sponsored',
    given: [
      (net) => {
        const later = transactionOf(net, { operations, signers: [], sequenceOffset: 1n })
        const set = { signer: { preAuthTx: Buffer.from(later.hash()), weight: 1 } }
        return transactionOf(net, {
          operations: [begin(alice, erin), options(set), end(alice)],
          signers: [alice, erin],
        })
      },
    ],
    send: unsigned({ operations }),
    fee: 100n,
    codes: 'txSuccess paymentSuccess',
    changes: {
      ...paid,
      ...used('alice'),
      'alice sponsored': -1n,
      'erin sponsoring': -1n,
      'alice signer by hash': '',
    },
  },
  {
    rule: 'CAP-21: extra signers sign besides the source’s own',
    when: 'an extra signer signed',
    send: { operations, signers: [alice, dave], conditions: extra(addressOf(dave)) },
    codes: 'txSuccess paymentSuccess',
    changes: paid,
  },
  {
    rule: 'CAP-21: every extra signer signs',
    when: 'an extra signer did not sign',
    send: { operations, conditions: extra(addressOf(dave)) },
    codes: 'ERROR txBadAuth',
  },
  {
    rule: 'CAP-21: every extra signer signs',
    when: 'one of two extra signers did not sign',
    send: {
      operations,
      signers: [alice, dave],
      conditions: extra(addressOf(dave), addressOf(erin)),
    },
    codes: 'ERROR txBadAuth',
  },
  {
    rule: 'CAP-21: one signature may stand for source and extra signer',
    when: 'the source is its own extra signer',
    send: { operations, conditions: extra(addressOf(alice)) },
    codes: 'txSuccess paymentSuccess',
    changes: paid,
  },
  {
    rule: 'commonValidPreSeqNum: extra signers differ',
    when: 'an extra signer is named twice',
    send: (net) => unchecked(net, { operations, conditions: twice(carol) }),
    fee: 100n,
    codes: 'ERROR txMalformed',
  },
  {
    rule: 'commonValidPreSeqNum (CAP-40): a payload is not empty',
    when: 'the payload of an extra signer is empty',
    send: (net) => unchecked(net, { operations, conditions: emptyPayload(carol) }),
    fee: 100n,
    codes: 'ERROR txMalformed',
  },
  {
    rule: 'TransactionFrame::processSignatures: all signatures are judged before any operation',
    when: 'an operation removes the signer that a later one is signed by',
    given: [{ operations: [by(carol)] }],
    send: {
      operations: [
        options({ signer: { ed25519PublicKey: addressOf(carol), weight: 0 } }),
        ...operations,
      ],
      signers: [carol],
    },
    codes: 'txSuccess setOptionsSuccess paymentSuccess',
    changes: { ...paid, ...used('alice'), [`alice signer ${signerName(carol)}`]: '' },
  },
  {
    rule: 'OperationFrame::checkSignature: every source signs for its operation',
    when: 'the source of an operation did not sign',
    send: { operations: [merge(alice, bob)] },
    codes: 'ERROR txFailed opBadAuth',
  },
]

function extra(...signers: string[]): NonNullable<Parts['conditions']> {
  return (it) => it.setTimeout(0).setExtraSigners(signers)
}

function conditions(extraSigners: xdr.SignerKey[]): xdr.Preconditions {
  return xdr.Preconditions.precondV2(
    new xdr.PreconditionsV2({
      timeBounds: null,
      ledgerBounds: null,
      minSeqNum: null,
      minSeqAge: 0n,
      minSeqLedgerGap: 0,
      extraSigners,
    }),
  )
}

function twice(who: typeof alice): xdr.Preconditions {
  const key = xdr.SignerKey.signerKeyTypeEd25519(who.rawPublicKey())
  return conditions([key, key])
}

function emptyPayload(who: typeof alice): xdr.Preconditions {
  return conditions([
    xdr.SignerKey.signerKeyTypeEd25519SignedPayload(
      new xdr.SignerKeyEd25519SignedPayload({
        ed25519: who.rawPublicKey(),
        payload: new Uint8Array(),
      }),
    ),
  ])
}

function payloadOf(who: typeof alice): string {
  const signer = new xdr.SignerKeyEd25519SignedPayload({ ed25519: who.rawPublicKey(), payload })
  return StrKey.encodeSignedPayload(signer.toXdr())
}
