import { createHash } from 'node:crypto'
import type { xdr } from '@stellar/stellar-sdk'

const TYPE_BYTES = 4
/** Of XDR: a hint, and the length of an array or of opaque bytes. */
const HINT_BYTES = 4
const LENGTH_BYTES = 4

/** `envelopeTypeTx`, and `keyTypeEd25519` of the source account, which version 0 leaves out. */
const VERSION_ONE_TAGS = Buffer.from([0, 0, 0, 2, 0, 0, 0, 0])

/**
 * The hash of a transaction, 64 hex digits: SHA-256 of its `TransactionSignaturePayload`, which has the same bytes as the
 * envelope without its signatures. A transaction of version 0 has the hash of the same one of version 1 (CAP-15).
 * @param bytes XDR of the envelope
 */
export function envelopeHash(
  bytes: Uint8Array,
  envelope: xdr.TransactionEnvelope,
  passphrase: string,
): string {
  const end = bytes.length - signaturesLength(envelope)
  const hash = createHash('sha256').update(networkId(passphrase))
  if (envelope.type === 'envelopeTypeTxV0') {
    return hash.update(VERSION_ONE_TAGS).update(bytes.subarray(TYPE_BYTES, end)).digest('hex')
  }
  return hash.update(bytes.subarray(0, end)).digest('hex')
}

const networkIds = new Map<string, Buffer>()

function networkId(passphrase: string): Buffer {
  const known = networkIds.get(passphrase) ?? createHash('sha256').update(passphrase).digest()
  networkIds.set(passphrase, known)
  return known
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
