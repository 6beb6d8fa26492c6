import { createHash } from 'node:crypto'
import { xdr } from '@stellar/stellar-sdk'

const TYPE_BYTES = 4
/** Sizes in XDR of a signature hint, and of the length of an array or of opaque bytes. */
const HINT_BYTES = 4
const LENGTH_BYTES = 4

/** `envelopeTypeTx`, and `keyTypeEd25519` of the source account, which version 0 leaves out. */
const VERSION_ONE_TAGS = Buffer.from([0, 0, 0, 2, 0, 0, 0, 0])

/**
 * The hash of a transaction, 64 hex digits: SHA-256 of its `TransactionSignaturePayload`, which has the same bytes as the
 * envelope without its signatures. A transaction of version 0 has the hash of the same one of version 1 (CAP-15).
 * Throws when the bytes are no `TransactionEnvelope`.
 */
export function envelopeHash(bytes: Uint8Array, passphrase: string): string {
  const envelope = xdr.TransactionEnvelope.fromXdr(bytes)
  return hashOf(bytes, signaturesLength(envelope), passphrase)
}

/** Whether the envelope has this hash. Never throws: bytes that are no envelope have none. */
export function hasHash(bytes: Buffer, hash: string, passphrase: string): boolean {
  for (const length of lengthsOfSignatures(bytes)) {
    if (hashOf(bytes, length, passphrase) === hash) return true
  }
  try {
    return envelopeHash(bytes, passphrase) === hash
  } catch {
    return false
  }
}

function hashOf(bytes: Uint8Array, lengthOfSignatures: number, passphrase: string): string {
  const signed = bytes.subarray(0, bytes.length - lengthOfSignatures)
  const hash = createHash('sha256').update(networkId(passphrase))
  const isVersionZero = signed.subarray(0, TYPE_BYTES).every((byte) => byte === 0)
  if (!isVersionZero) return hash.update(signed).digest('hex')
  return hash.update(VERSION_ONE_TAGS).update(signed.subarray(TYPE_BYTES)).digest('hex')
}

const networkIds = new Map<string, Buffer>()

function networkId(passphrase: string): Buffer {
  const known = networkIds.get(passphrase) ?? createHash('sha256').update(passphrase).digest()
  networkIds.set(passphrase, known)
  return known
}

const ED25519_SIGNATURE_BYTES = 64
const SIGNATURE_BYTES = HINT_BYTES + LENGTH_BYTES + ED25519_SIGNATURE_BYTES
const MAX_SIGNATURES = 20

/**
 * How many bytes at the end may be the array of signatures, found without decoding what is before them: one count before
 * as many signatures. Almost every signature has the 64 bytes of ed25519.
 */
function* lengthsOfSignatures(bytes: Buffer): Generator<number> {
  for (let count = 0; count <= MAX_SIGNATURES; count++) {
    const length = LENGTH_BYTES + count * SIGNATURE_BYTES
    if (bytes.length < length) return
    if (bytes.readUInt32BE(bytes.length - length) === count) yield length
  }
}

function signaturesLength(envelope: xdr.TransactionEnvelope): number {
  const { signatures } = signedPart(envelope)
  return signatures.reduce(
    (sum, { signature }) => sum + HINT_BYTES + LENGTH_BYTES + padded(signature.value.length),
    LENGTH_BYTES,
  )
}

function signedPart(envelope: xdr.TransactionEnvelope) {
  switch (envelope.type) {
    case 'envelopeTypeTxV0':
      return envelope.v0
    case 'envelopeTypeTx':
      return envelope.v1
    case 'envelopeTypeTxFeeBump':
      return envelope.feeBump
  }
}

const padded = (length: number): number => Math.ceil(length / 4) * 4
