import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto'
import { privateKeyOf, publicBytesOf, signBytes } from '../../stellar/accounts/ed25519.ts'
import { seedOfSecret } from '../../stellar/accounts/signer.ts'

/** What a passkey answers to a challenge (https://www.w3.org/TR/webauthn-2/#authenticatorassertionresponse). */
export interface Assertion {
  readonly authenticatorData: Uint8Array
  /** The JSON of the client data. */
  readonly clientData: Uint8Array
  /** 64 bytes, r and s, of which s is the lower one: the ledger takes no other. */
  readonly signature: Uint8Array
}

export interface Ed25519Key {
  readonly algorithm: 'ed25519'
  /** 32 bytes. */
  readonly publicKey: Uint8Array
  /** 64 bytes. */
  sign(message: Uint8Array): Uint8Array
}

export interface Passkey {
  readonly algorithm: 'p256'
  /** The uncompressed point, 65 bytes. */
  readonly publicKey: Uint8Array
  assert(challenge: Uint8Array): Promise<Assertion>
}

/** A key that signs for a contract account. */
export type AccountKey = Ed25519Key | Passkey

/**
 * @param text a seed `S...`, or a private key of ed25519 or P-256 in PEM
 * @throws RangeError for anything else; it does not repeat the text
 */
export function readAccountKey(text: string): AccountKey {
  if (!text.startsWith('-----BEGIN')) return ed25519Key(privateKeyOf(seedOfSecret(text)))
  const key = privateKeyIn(text)
  if (key?.asymmetricKeyType === 'ed25519') return ed25519Key(key)
  if (key?.asymmetricKeyDetails?.namedCurve === 'prime256v1') return passkeyOf(key)
  throw new RangeError('not a private key of ed25519 or P-256 in PEM')
}

function privateKeyIn(pem: string): KeyObject | undefined {
  try {
    return createPrivateKey(pem)
  } catch {
    return undefined
  }
}

const ed25519Key = (key: KeyObject): Ed25519Key => ({
  algorithm: 'ed25519',
  publicKey: publicBytesOf(key),
  sign: (message) => signBytes(message, key),
})

/** Answers as an authenticator does, without a device: the user is present, and verified. */
function passkeyOf(key: KeyObject): Passkey {
  return {
    algorithm: 'p256',
    publicKey: pointOf(key),
    assert: async (challenge) => {
      const clientData = Buffer.from(
        JSON.stringify({
          type: 'webauthn.get',
          challenge: Buffer.from(challenge).toString('base64url'),
          origin: `https://${RELYING_PARTY}`,
        }),
      )
      const authenticatorData = Buffer.concat([sha256(RELYING_PARTY), FLAGS, NO_COUNTER])
      const signed = Buffer.concat([authenticatorData, sha256(clientData)])
      const signature = withLowS(sign('sha256', signed, { key, dsaEncoding: 'ieee-p1363' }))
      return { authenticatorData, clientData, signature }
    },
  }
}

/** No account asks for a certain one. */
const RELYING_PARTY = 'localhost'
/** User present, and user verified. */
const FLAGS = Buffer.from([0b101])
const NO_COUNTER = Buffer.alloc(4)

const sha256 = (bytes: Uint8Array | string): Buffer => createHash('sha256').update(bytes).digest()

function pointOf(key: KeyObject): Uint8Array {
  const { x = '', y = '' } = createPublicKey(key).export({ format: 'jwk' })
  return Buffer.concat([Buffer.from([4]), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')])
}

/** The order of P-256. */
const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n

/** Of s and its negative both are valid. */
function withLowS(signature: Uint8Array): Uint8Array {
  const [r, s] = [
    signature.subarray(0, 32),
    BigInt(`0x${Buffer.from(signature.subarray(32)).toString('hex')}`),
  ]
  const low = s > ORDER / 2n ? ORDER - s : s
  return Buffer.concat([r, Buffer.from(low.toString(16).padStart(64, '0'), 'hex')])
}
