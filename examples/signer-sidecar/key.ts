/**
 * The key of the sponsor. To use a key service of a cloud, write a second function that returns a `Key`, and call it in sidecar.ts:
 * `sign` sends the 32 bytes of the hash as the message itself (pure Ed25519, RFC 8032; no prehash), and `address` is the public key that
 * the service states. AWS KMS (ECC_NIST_EDWARDS25519, ED25519_SHA_512, message type RAW), Google Cloud KMS (EC_SIGN_ED25519) and Vault's
 * transit engine (ed25519) sign this way. The policy and the log stay here: none of these services can read a transaction.
 */
import { createPrivateKey, createPublicKey, sign } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { StrKey } from '@stellar/stellar-sdk'

export interface Key {
  /** `G...` */
  readonly address: string
  /** The signature, 64 bytes, of a hash of 32 bytes. Rejects when there is none; the client then asks again. */
  sign(hash: Uint8Array): Promise<Uint8Array>
}

/** RFC 8410: what precedes the 32 bytes of a seed, and those of a public key, in DER. */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex')
const SPKI_BYTES = 12

const FOR_OTHERS = 0o007

/** A key in a file that holds a secret seed, `S...`. The errors do not repeat its contents. */
export function keyFromFile(path: string): Key {
  if (statSync(path).mode & FOR_OTHERS) throw new Error(`${path} is open to every user: chmod 600`)
  const secret = readFileSync(path, 'utf8').trim()
  if (!StrKey.isValidEd25519SecretSeed(secret)) throw new Error(`${path} holds no secret seed S...`)
  const seed = StrKey.decodeEd25519SecretSeed(secret)
  const der = Buffer.concat([PKCS8_PREFIX, seed])
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  const publicKey = createPublicKey(key).export({ format: 'der', type: 'spki' })
  return {
    address: StrKey.encodeEd25519PublicKey(publicKey.subarray(SPKI_BYTES)),
    sign: async (hash) => new Uint8Array(sign(null, hash, key)),
  }
}
