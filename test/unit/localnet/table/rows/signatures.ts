import { type Keypair, type Transaction, xdr } from '@stellar/stellar-sdk'
import { addressOf, alice, bob, carol, dave, erin, missing, XLM } from '../accounts.ts'
import {
  mediumThreshold2,
  merge,
  options,
  pay,
  payloadAddress,
  sha256,
  signedPayload,
  signer,
  sponsored,
} from '../operations.ts'
import { preconditions, rawTx } from '../raw-envelopes.ts'
import { ed25519Signer } from '../raw-operations.ts'
import { fails, rejected, rows, succeeds } from '../row.ts'
import { type Sending, sending, signedBy, type Tx, transactionOf } from '../transaction.ts'

const payment = { operations: [pay(bob, '1')] }
const paid = 'alice XLM -1, bob XLM +1'
const used = 'alice subentries -1, alice signer by hash removed'
const failing = { operations: [pay(missing, '1')] }
const bobPays = pay(alice, '1', XLM, bob)
const paymentBy = (...signers: Keypair[]): Tx => ({ ...payment, signers })
const unsigned = (tx: Tx): Tx => ({ ...tx, signers: [] })

/** alice's payment, with signatures of any form. */
const signedWith = (sign: (transaction: Transaction) => void): Sending =>
  sending(payment, (net) => {
    const transaction = transactionOf(net, unsigned(payment))
    sign(transaction)
    return transaction
  })
const decorated = (sign: (hash: Uint8Array) => xdr.DecoratedSignature): Sending =>
  signedWith((transaction) => transaction.signatures.push(sign(transaction.hash())))

/** Makes the hash of alice's transaction after this one a signer. */
const authorize = (
  tx: Tx,
  by = alice,
  wrap: (op: Tx['operations'][number]) => Tx['operations'] = (op) => [op],
): Sending =>
  sending(payment, (net) => {
    const later = transactionOf(net, { ...unsigned(tx), sequenceOffset: 1n })
    const hash = { signer: { preAuthTx: Buffer.from(later.hash()), weight: 1 } }
    return transactionOf(net, { operations: wrap(options(hash, by)) })
  })

const secret = Buffer.from('open sesame')
const hashX = options({ signer: { sha256Hash: sha256(secret), weight: 1 } })
const payload = Buffer.from('signed elsewhere')
const ofPayload = options({
  signer: { ed25519SignedPayload: payloadAddress(carol, payload), weight: 1 },
})
const anotherSigned = decorated((hash) => alice.signDecorated(sha256(hash)))
const revealing = (bytes: Buffer) => signedWith((it) => it.signHashX(bytes))
const payloadSigned = decorated(() => carol.signPayloadDecorated(payload))
const threshold2 = options({ lowThreshold: 2, medThreshold: 2, highThreshold: 2 })
const removesAndPays = signedBy([carol], signer(carol, 0), pay(bob, '1'))
const noMaster = { given: [signer(carol), options({ masterWeight: 0 })] }

const extraSigners =
  (...addresses: string[]): NonNullable<Tx['conditions']> =>
  (it) =>
    it.setTimeout(0).setExtraSigners(addresses)
const aliceToo = extraSigners(addressOf(alice))
const daveToo = extraSigners(addressOf(dave))
const rawExtraSigners = (...extraSigners: xdr.SignerKey[]): Sending =>
  rawTx({ ...payment, conditions: () => preconditions({ extraSigners }) })
const { key: carolKey } = ed25519Signer(carol, 1)
const emptyPayload = xdr.SignerKey.signerKeyTypeEd25519SignedPayload(
  signedPayload(carol, new Uint8Array()),
)

/** stellar-core, SignatureChecker and TransactionFrame::processSignatures. */
export const signatureRows = rows({
  'TransactionFrame::commonValid': [
    rejected('txBadAuth', 'it is not signed, and the threshold is 0', paymentBy()),
    rejected('txBadAuth', 'the low threshold is not met', paymentBy(alice), {
      given: [signer(carol), threshold2],
    }),
  ],
  SignatureChecker: [
    rejected('txBadAuth', 'another account signed', paymentBy(bob)),
    rejected('txBadAuthExtra', 'a signer signed too, and one would do', paymentBy(alice, carol), {
      given: signer(carol),
    }),
    rejected('opBadAuth', 'one key signed twice, and two are needed', paymentBy(alice, alice), {
      given: [signer(carol), mediumThreshold2],
    }),
    succeeds('two signed, and two are needed', paymentBy(alice, carol), {
      given: [signer(carol), mediumThreshold2],
      changes: paid,
    }),
  ],
  'SignatureChecker (protocol 10)': [
    succeeds('a weight of more than a byte counts as 255', paymentBy(carol), {
      ledger: {
        alice: {
          signers: [{ key: carolKey, weight: 1_000 }],
          thresholds: [0, 255, 255, 255],
          subEntries: 3,
        },
      },
      changes: paid,
    }),
  ],
  'SignatureChecker::checkAllSignaturesUsed': [
    rejected('txBadAuthExtra', 'another account signed too', paymentBy(alice, dave)),
    rejected('txBadAuthExtra', 'the master key signed twice', paymentBy(alice, alice)),
  ],
  'TransactionFrame::checkSignature': [
    rejected('txBadAuth', 'the master key has weight 0', payment, noMaster),
    succeeds('the master key has weight 0, and a signer signed', paymentBy(carol), {
      ...noMaster,
      changes: paid,
    }),
  ],
  'SignatureUtils::verify': [
    rejected(
      'txBadAuth',
      'the hint is of another key',
      decorated((hash) => {
        const { signature } = alice.signDecorated(hash)
        return new xdr.DecoratedSignature({ hint: bob.signatureHint(), signature })
      }),
    ),
    rejected('txBadAuth', 'another transaction is signed', anotherSigned),
    rejected(
      'txBadAuth',
      'the signature has 63 bytes',
      decorated((hash) => {
        const { hint, signature } = alice.signDecorated(hash)
        return new xdr.DecoratedSignature({ hint, signature: signature.value.subarray(0, 63) })
      }),
    ),
  ],
  'SignatureUtils::verifyHashX': [
    succeeds('it reveals the secret', revealing(secret), { given: hashX, changes: paid }),
    rejected('txBadAuth', 'it reveals another secret', revealing(payload), { given: hashX }),
  ],
  'CAP-40': [
    succeeds('the payload is signed', payloadSigned, { given: ofPayload, changes: paid }),
    rejected('txBadAuth', 'the payload is not signed', paymentBy(carol), { given: ofPayload }),
    succeeds(
      'the master key and the payload are needed, and signed',
      signedWith((it) => {
        it.sign(alice)
        it.signatures.push(carol.signPayloadDecorated(payload))
      }),
      { given: [ofPayload, mediumThreshold2], changes: paid },
    ),
  ],
  'TransactionFrame::removeOneTimeSignerFromAllSourceAccounts': [
    succeeds('its hash is a signer, which is removed', unsigned(payment), {
      given: authorize(payment),
      changes: `${paid}, ${used}`,
    }),
    succeeds('its hash is a signer of the source of its operation', signedBy([alice], bobPays), {
      given: authorize({ operations: [bobPays] }, bob),
      changes: 'alice XLM +1, bob XLM -1, bob subentries -1, bob signer by hash removed',
    }),
    rejected('txBadAuthExtra', 'its hash is a signer, and it is signed', payment, {
      given: authorize(payment),
    }),
  ],
  'TransactionFrame::processSignatures': [
    fails('NoDestination', 'its hash is a signer, which is removed', unsigned(failing), {
      given: authorize(failing),
      changes: used,
    }),
    succeeds('an operation removes the signer of a later one', removesAndPays, {
      given: signer(carol),
      changes: `${paid}, alice subentries -1, alice signer carol removed`,
    }),
  ],
  'TransactionFrame::checkValid': [
    rejected('txBadAuth', 'the hash of another transaction is a signer', unsigned(payment), {
      given: authorize(failing),
    }),
  ],
  removeSignerWithPossibleSponsorship: [
    succeeds('its hash is a sponsored signer', unsigned(payment), {
      given: authorize(payment, alice, (it) => sponsored(erin, alice, it)),
      changes: `${paid}, ${used}, alice sponsored -1, erin sponsoring -1`,
    }),
  ],
  'CAP-21': [
    succeeds('an extra signer signed', { ...paymentBy(alice, dave), conditions: daveToo }, paid),
    rejected('txBadAuth', 'an extra signer did not sign', { ...payment, conditions: daveToo }),
    rejected('txBadAuth', 'one of two extra signers did not sign', {
      ...paymentBy(alice, dave),
      conditions: extraSigners(addressOf(dave), addressOf(erin)),
    }),
    succeeds('the source is the extra signer', { ...payment, conditions: aliceToo }, paid),
  ],
  commonValidPreSeqNum: [
    rejected('txMalformed', 'an extra signer is there twice', rawExtraSigners(carolKey, carolKey)),
    rejected('txMalformed', 'the payload of a signer is empty', rawExtraSigners(emptyPayload)),
  ],
  'OperationFrame::checkSignature': [
    rejected('opBadAuth', 'its source did not sign', signedBy([alice], merge(alice, bob))),
  ],
})
