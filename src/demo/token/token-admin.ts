/** What a person does to a token with a program of its maker, and the service never does: initializes it and generates keys on it. */
import { type Cryptoki, signingFunctions } from '../../signing/pkcs11/cryptoki.ts'

export const adminFunctions = {
  ...signingFunctions,
  C_InitToken: [9, 'ulong slot, uint8 *pin, ulong pinBytes, uint8 *label'],
  C_InitPIN: [10, 'ulong session, uint8 *pin, ulong pinBytes'],
  C_CloseSession: [13, 'ulong session'],
  C_GenerateKeyPair: [
    59,
    'ulong session, CK_MECHANISM *mechanism, CK_ATTRIBUTE *publicTemplate, ulong publicCount, CK_ATTRIBUTE *privateTemplate, ulong privateCount, _Out_ ulong *publicKey, _Out_ ulong *privateKey',
  ],
} as const

type Library = Cryptoki<keyof typeof adminFunctions>

export interface KeyAccess {
  readonly modulePath: string
  /** Label of the token. */
  readonly token: string
  /** Label of the key pair. */
  readonly key: string
  readonly pin: string
}

const CKF_OS_LOCKING_OK = 0x2
const CKF_RW_SERIAL_SESSION = 0x6
const CKF_TOKEN_INITIALIZED = 0x400
const CKU_SO = 0
const CKU_USER = 1
const CKA_TOKEN = 0x1
const CKA_PRIVATE = 0x2
const CKA_LABEL = 0x3
const CKA_SENSITIVE = 0x103
const CKA_SIGN = 0x108
const CKA_VERIFY = 0x10a
const CKA_EXTRACTABLE = 0x162
export const CKA_EC_PARAMS = 0x180
export const CKA_EC_POINT = 0x181
const CKM_EC_EDWARDS_KEY_PAIR_GEN = 0x1055
/** PrintableString "edwards25519" in DER. */
export const EDWARDS_25519 = Buffer.from('130c656477617264733235353139', 'hex')
const MAX_POINT_BYTES = 256
const LABEL_BYTES = 32
const yes = Buffer.from([1])
const no = Buffer.from([0])

/** Between C_Initialize and C_Finalize. */
export async function withLibrary<T>(library: Library, work: () => Promise<T>): Promise<T> {
  await library.call('C_Initialize', { flags: CKF_OS_LOCKING_OK })
  const result = await work()
  await library.call('C_Finalize', null)
  return result
}

/** A new token in an empty slot, with the PIN. */
export async function initialize(
  library: Library,
  { token, pin }: KeyAccess,
  soPin: string,
): Promise<void> {
  const slot = await slotWhere(library, ({ flags }) => (flags & CKF_TOKEN_INITIALIZED) === 0)
  const label = Buffer.alloc(LABEL_BYTES, ' ')
  label.write(token)
  await library.call('C_InitToken', slot, Buffer.from(soPin), soPin.length, label)
  const session = await openSession(library, slot, { user: CKU_SO, pin: soPin })
  await library.call('C_InitPIN', session, Buffer.from(pin), pin.length)
  await library.call('C_CloseSession', session)
}

/** @returns a session that may write to the token */
export async function logIn(library: Library, { token, pin }: KeyAccess): Promise<number> {
  const slot = await slotWhere(library, ({ label }) => label === token)
  return openSession(library, slot, { user: CKU_USER, pin })
}

async function slotWhere(
  library: Library,
  matches: (token: { label: string; flags: number }) => boolean,
): Promise<number> {
  const count = [0]
  await library.call('C_GetSlotList', 1, null, count)
  const slots: number[] = Array(count[0]).fill(0)
  await library.call('C_GetSlotList', 1, slots, count)
  for (const slot of slots) {
    const info: { label?: Uint8Array; flags?: number } = {}
    await library.call('C_GetTokenInfo', slot, info)
    const label = Buffer.from(info.label!).toString().trimEnd()
    if (matches({ label, flags: info.flags! })) return slot
  }
  throw new Error('the PKCS#11 library has no such token')
}

async function openSession(
  library: Library,
  slot: number,
  { user, pin }: { readonly user: number; readonly pin: string },
): Promise<number> {
  const session = [0]
  await library.call('C_OpenSession', slot, CKF_RW_SERIAL_SESSION, null, null, session)
  await library.call('C_Login', session[0], user, Buffer.from(pin), pin.length)
  return session[0]!
}

/** A pair of ed25519 keys, of which the private one never leaves the token. @returns the CKA_EC_POINT */
export async function generateKeys(
  library: Library,
  session: number,
  label: string,
): Promise<Buffer> {
  const mechanism = {
    mechanism: CKM_EC_EDWARDS_KEY_PAIR_GEN,
    pParameter: null,
    ulParameterLen: 0,
  }
  const { ofPublic, ofPrivate } = keyTemplates(label)
  const publicKey = [0]
  await library.call(
    'C_GenerateKeyPair',
    session,
    mechanism,
    ofPublic,
    ofPublic.length,
    ofPrivate,
    ofPrivate.length,
    publicKey,
    [0],
  )
  const point = Buffer.alloc(MAX_POINT_BYTES)
  const template = [attribute(CKA_EC_POINT, point)]
  await library.call('C_GetAttributeValue', session, publicKey[0], template, template.length)
  return point.subarray(0, template[0]!.ulValueLen)
}

/** The attributes of a pair of ed25519 keys, of which the private one never leaves the token. */
export function keyTemplates(label: string) {
  const shared = [attribute(CKA_TOKEN, yes), labelled(label)]
  return {
    ofPublic: [
      ...shared,
      attribute(CKA_EC_PARAMS, EDWARDS_25519),
      attribute(CKA_VERIFY, yes),
      attribute(CKA_PRIVATE, no),
    ],
    ofPrivate: [
      ...shared,
      attribute(CKA_SIGN, yes),
      attribute(CKA_PRIVATE, yes),
      attribute(CKA_SENSITIVE, yes),
      attribute(CKA_EXTRACTABLE, no),
    ],
  }
}

/** The attribute by which keys with the label are found. */
export const labelled = (label: string) => attribute(CKA_LABEL, Buffer.from(label))

export function attribute(type: number, pValue: Buffer) {
  return { type, pValue, ulValueLen: pValue.length }
}
