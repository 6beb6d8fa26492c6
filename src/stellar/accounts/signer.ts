import { randomBytes } from 'node:crypto'
import { StrKey } from '@stellar/stellar-sdk'
import { privateKeyOf, publicBytesOf, signBytes } from './ed25519.ts'
import { addressOf } from './strkey.ts'

/** Signs for one account. The secret never leaves the closure. */
export interface Signer {
  /** `G...`. */
  readonly address: string
  /** The raw 32 bytes of the account's key. */
  readonly publicKey: Uint8Array
  /** Signs a 32-byte hash with a signature of 64 bytes. */
  sign(hash: Uint8Array): Uint8Array
}

/** @param seed 32 bytes. Throws RangeError on another length. */
export function signerFromSeed(seed: Uint8Array): Signer {
  const key = privateKeyOf(seed)
  const publicKey = publicBytesOf(key)
  return { address: addressOf(publicKey), publicKey, sign: (hash) => signBytes(hash, key) }
}

/** @param secret `S...`. Throws on a malformed one; the error does not repeat it. */
export const signerFromSecret = (secret: string): Signer => signerFromSeed(seedOfSecret(secret))

/** The 32 bytes inside a secret. Throws on a malformed one; the error does not repeat it. */
export function seedOfSecret(secret: string): Uint8Array {
  if (!StrKey.isValidEd25519SecretSeed(secret)) {
    throw new RangeError('not a secret seed: expected S and 55 more characters with a checksum')
  }
  return StrKey.decodeEd25519SecretSeed(secret)
}

export const secretOfSeed = (seed: Uint8Array): string => StrKey.encodeEd25519SecretSeed(seed)

export const randomSigner = (): Signer => signerFromSeed(randomBytes(32))
