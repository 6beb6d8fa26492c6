/** The key with which the only validator of the network signs the values of its ledgers. */
import { createPrivateKey, type KeyObject, sign } from 'node:crypto'
import { Keypair, xdr } from '@stellar/stellar-sdk'
import { xdrInt64, xdrUint32 } from '../transactions/xdr-bytes.ts'
import { accountIdFromRaw, publicKeyOf } from './account-id.ts'
import { sha256, type ValueSigner } from './header.ts'

/** DER of a PrivateKeyInfo for Ed25519 (RFC 8410), up to the 32 bytes of the seed. */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex')
const ENVELOPE_TYPE_SCPVALUE = 4
const SIGNATURE_BYTES = 64

const rawPublicKey = (seed: Uint8Array) =>
  Keypair.fromRawEd25519Seed(Buffer.from(seed)).rawPublicKey()

export class NodeKey implements ValueSigner {
  readonly #networkId: Uint8Array
  readonly #key: KeyObject
  /** StellarValueExt XDR up to the signature. */
  readonly #extension: Uint8Array

  /** The same key for the same network. */
  constructor(networkId: Uint8Array) {
    const seed = sha256(networkId, Buffer.from('validator'))
    this.#networkId = networkId
    this.#key = createPrivateKey({
      key: Buffer.concat([PKCS8_PREFIX, seed]),
      format: 'der',
      type: 'pkcs8',
    })
    const empty = new xdr.LedgerCloseValueSignature({
      nodeId: publicKeyOf(accountIdFromRaw(rawPublicKey(seed))),
      signature: new xdr.Signature(new Uint8Array(SIGNATURE_BYTES)),
    })
    this.#extension = xdr.StellarValueExt.stellarValueSigned(empty)
      .toXdr()
      .subarray(0, -SIGNATURE_BYTES)
  }

  /** Signs network, transaction set and close time (stellar-core's `HerderImpl::signStellarValue`). */
  signValue(txSetHash: Uint8Array, closeTime: bigint): Uint8Array {
    const message = Buffer.concat([
      this.#networkId,
      xdrUint32(ENVELOPE_TYPE_SCPVALUE),
      txSetHash,
      xdrInt64(closeTime),
    ])
    return Buffer.concat([this.#extension, sign(null, message, this.#key)])
  }
}
