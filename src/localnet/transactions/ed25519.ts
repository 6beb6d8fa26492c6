/** Ed25519 by Node's own crypto: several times faster than JavaScript, with remembered keys and verdicts. */
import { createPublicKey, type KeyObject, verify } from 'node:crypto'

/** DER of a SubjectPublicKeyInfo for Ed25519 (RFC 8410), up to the 32 key bytes. */
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex')

/** Remembered at most; the oldest goes first. Channels and sponsors sign again and again. */
const MAX_KEYS = 4_096
/** A transaction is checked when submitted, when its ledger closes and when it is applied. */
const MAX_VERDICTS = 16_384

const keys = new Map<string, KeyObject>()
const verdicts = new Map<string, boolean>()

export function verifyEd25519(
  publicKey: Uint8Array,
  message: Uint8Array,
  signature: Uint8Array,
): boolean {
  if (signature.length !== 64) return false
  const question = Buffer.concat([publicKey, signature, message]).toString('latin1')
  const known = verdicts.get(question)
  if (known !== undefined) return known
  const verdict = verifyNow(publicKey, message, signature)
  remember(verdicts, question, verdict, MAX_VERDICTS)
  return verdict
}

function verifyNow(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  try {
    return verify(null, message, keyObject(publicKey), signature)
  } catch {
    // Not a point on the curve: nothing it could have signed.
    return false
  }
}

function keyObject(publicKey: Uint8Array): KeyObject {
  const name = Buffer.from(publicKey).toString('latin1')
  const known = keys.get(name)
  if (known) return known
  const key = createPublicKey({
    key: Buffer.concat([SPKI_PREFIX, publicKey]),
    format: 'der',
    type: 'spki',
  })
  remember(keys, name, key, MAX_KEYS)
  return key
}

function remember<T>(cache: Map<string, T>, name: string, value: T, limit: number): void {
  if (cache.size >= limit) {
    const oldest = cache.keys().next()
    if (!oldest.done) cache.delete(oldest.value)
  }
  cache.set(name, value)
}
