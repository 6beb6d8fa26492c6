/**
 * A session with a token, logged in. The values of the constants are those of pkcs11t.h (PKCS#11 v3.0; EdDSA is in its section 2.3 of the
 * current mechanisms).
 */
import { SignerError } from '../../stellar/accounts/envelope-signer.ts'
import type { Pkcs11Place } from '../signer-place.ts'
import { type Cryptoki, CryptokiError, type signingFunctions } from './cryptoki.ts'
import { publicKeyOfPoint } from './ec-point.ts'
import { CKR_USER_ALREADY_LOGGED_IN, isWrongPin, meaningOf } from './return-codes.ts'
import { checkPinFlags, digestOf, PinRefused } from './token-pin.ts'

type Library = Cryptoki<keyof typeof signingFunctions>
/** A CK_ULONG: a bigint where a number would lose digits. */
type Handle = number | bigint

const CKF_OS_LOCKING_OK = 0x2
const CKF_SERIAL_SESSION = 0x4
const CKU_USER = 1
const CKO_PUBLIC_KEY = 2
const CKO_PRIVATE_KEY = 3
const CKA_CLASS = 0x0
const CKA_LABEL = 0x3
const CKA_KEY_TYPE = 0x100
const CKA_EC_POINT = 0x181
const CKK_EC_EDWARDS = 0x40
const CKM_EDDSA = 0x1057

/** ed25519 itself: a parameter would choose another variant. */
const mechanism = { mechanism: CKM_EDDSA, pParameter: null, ulParameterLen: 0 }

const SIGNATURE_BYTES = 64
/** More than the point of any curve that tokens have. */
const MAX_POINT_BYTES = 256

export class Token {
  readonly #library: Library
  readonly #session: Handle
  readonly #label: string
  #privateKey: Handle | undefined

  private constructor(library: Library, session: Handle, label: string) {
    this.#library = library
    this.#session = session
    this.#label = label
  }

  /** Throws SignerError and CryptokiError. Overwrites the PIN. */
  static async open(library: Library, place: Pkcs11Place, pin: Buffer): Promise<Token> {
    try {
      // Calls come from changing threads, one at a time.
      await library.call('C_Initialize', { flags: CKF_OS_LOCKING_OK })
      const slot = await slotOf(library, place.token)
      const session: Handle[] = [0]
      await library.call('C_OpenSession', slot, CKF_SERIAL_SESSION, null, null, session)
      await logIn(library, session[0]!, pin)
      return new Token(library, session[0]!, place.key)
    } finally {
      pin.fill(0)
    }
  }

  /** Looks both keys up again: a person may have replaced them. */
  async publicKey(): Promise<Uint8Array> {
    this.#privateKey = await this.#find(CKO_PRIVATE_KEY, 'private')
    const key = await this.#find(CKO_PUBLIC_KEY, 'public')
    const value = Buffer.alloc(MAX_POINT_BYTES)
    const template = [attribute(CKA_EC_POINT, value)]
    await this.#library.call('C_GetAttributeValue', this.#session, key, template, template.length)
    const publicKey = publicKeyOfPoint(value.subarray(0, template[0]!.ulValueLen))
    if (publicKey) return publicKey
    throw new SignerError('no_key', `the key ${JSON.stringify(this.#label)} is not ed25519`)
  }

  /** Signatures of 64 bytes, in the order of the hashes. */
  async sign(hashes: readonly Uint8Array[]): Promise<readonly Uint8Array[]> {
    this.#privateKey ??= await this.#find(CKO_PRIVATE_KEY, 'private')
    const key = this.#privateKey
    const signatures: Uint8Array[] = []
    for (const hash of hashes) {
      const signature = new Uint8Array(SIGNATURE_BYTES)
      const length = [signature.length]
      await this.#library.call('C_SignInit', this.#session, mechanism, key)
      await this.#library.call('C_Sign', this.#session, hash, hash.length, signature, length)
      if (length[0] !== SIGNATURE_BYTES) {
        throw new SignerError('invalid', `the token gave a signature of ${length[0]} bytes`)
      }
      signatures.push(signature)
    }
    return signatures
  }

  async #find(keyClass: number, description: string): Promise<Handle> {
    const template = [
      attribute(CKA_CLASS, ulong(keyClass)),
      attribute(CKA_KEY_TYPE, ulong(CKK_EC_EDWARDS)),
      attribute(CKA_LABEL, Buffer.from(this.#label)),
    ]
    const found: Handle[] = [0, 0]
    const count = [0]
    await this.#library.call('C_FindObjectsInit', this.#session, template, template.length)
    await this.#library.call('C_FindObjects', this.#session, found, found.length, count)
    await this.#library.call('C_FindObjectsFinal', this.#session)
    if (count[0] === 1) return found[0]!
    const amount = count[0] === 0 ? 'no' : 'more than one'
    const key = `${description} Edwards key (CKK_EC_EDWARDS)`
    const label = JSON.stringify(this.#label)
    throw new SignerError('no_key', `the token has ${amount} ${key} with the label ${label}`)
  }
}

async function slotOf(library: Library, label: string): Promise<Handle> {
  const count = [0]
  await library.call('C_GetSlotList', 1, null, count)
  const slots: Handle[] = Array(count[0]).fill(0)
  if (slots.length > 0) await library.call('C_GetSlotList', 1, slots, count)
  const matching: { readonly slot: Handle; readonly flags: number }[] = []
  for (const slot of slots.slice(0, count[0])) {
    const token = await tokenIn(library, slot)
    if (token?.label === label) matching.push({ slot, flags: token.flags })
  }
  const [only, second] = matching
  if (only && !second) {
    checkPinFlags(only.flags)
    return only.slot
  }
  const amount = only ? 'more than one token' : 'no token'
  const message = `the PKCS#11 library has ${amount} with the label ${JSON.stringify(label)}`
  throw new SignerError('unreachable', message)
}

/** Undefined for a slot whose token cannot be read: it may have been removed just now. */
async function tokenIn(
  library: Library,
  slot: Handle,
): Promise<{ readonly label: string; readonly flags: number } | undefined> {
  const info: { label?: Uint8Array; flags?: number } = {}
  try {
    await library.call('C_GetTokenInfo', slot, info)
  } catch (error) {
    if (error instanceof CryptokiError) return undefined
    throw error
  }
  // Filled up to 32 bytes with blanks.
  const label = Buffer.from(info.label ?? [])
    .toString()
    .trimEnd()
  return { label, flags: info.flags ?? 0 }
}

async function logIn(library: Library, session: Handle, pin: Buffer): Promise<void> {
  try {
    await library.call('C_Login', session, CKU_USER, pin, pin.length)
  } catch (error) {
    if (!(error instanceof CryptokiError)) throw error
    if (error.code === CKR_USER_ALREADY_LOGGED_IN) return
    if (!isWrongPin(error.code)) throw error
    throw new PinRefused(digestOf(pin), meaningOf(error.code, error.calledFunction).message)
  }
}

const attribute = (type: number, pValue: Buffer) => ({ type, pValue, ulValueLen: pValue.length })

/** A CK_ULONG in memory: 8 bytes on all 64-bit systems but Windows. */
function ulong(value: number): Buffer {
  const bytes = new BigUint64Array([BigInt(value)])
  return Buffer.from(bytes.buffer)
}
