/** Initializes a token, and generates, imports and deletes keys on it: what the service itself never does. Its argument is a TokenChange. */
import { loadCryptoki, signingFunctions } from '../../../src/signing/pkcs11/cryptoki.ts'
import type { KeyAccess, TokenChange } from './change-token.ts'

const functions = {
  ...signingFunctions,
  C_InitToken: [9, 'ulong slot, uint8 *pin, ulong pinBytes, uint8 *label'],
  C_InitPIN: [10, 'ulong session, uint8 *pin, ulong pinBytes'],
  C_CloseSession: [13, 'ulong session'],
  C_CreateObject: [20, 'ulong session, CK_ATTRIBUTE *template, ulong count, _Out_ ulong *object'],
  C_DestroyObject: [22, 'ulong session, ulong object'],
  C_GenerateKeyPair: [
    59,
    'ulong session, CK_MECHANISM *mechanism, CK_ATTRIBUTE *publicTemplate, ulong publicCount, CK_ATTRIBUTE *privateTemplate, ulong privateCount, _Out_ ulong *publicKey, _Out_ ulong *privateKey',
  ],
} as const

const CKF_RW_SERIAL_SESSION = 0x6
const CKF_TOKEN_INITIALIZED = 0x400
const CKU_SO = 0
const CKU_USER = 1
const CKO_PUBLIC_KEY = 2
const CKO_PRIVATE_KEY = 3
const CKK_EC_EDWARDS = 0x40
const CKA_CLASS = 0x0
const CKA_TOKEN = 0x1
const CKA_PRIVATE = 0x2
const CKA_LABEL = 0x3
const CKA_VALUE = 0x11
const CKA_KEY_TYPE = 0x100
const CKA_SENSITIVE = 0x103
const CKA_SIGN = 0x108
const CKA_VERIFY = 0x10a
const CKA_EXTRACTABLE = 0x162
const CKA_EC_PARAMS = 0x180
const CKA_EC_POINT = 0x181
const CKM_EC_EDWARDS_KEY_PAIR_GEN = 0x1055
/** PrintableString "edwards25519" in DER. */
const EDWARDS_25519 = Buffer.from('130c656477617264733235353139', 'hex')
const MAX_POINT_BYTES = 256
const MAX_KEYS = 10
const yes = Buffer.from([1])
const no = Buffer.from([0])

const wanted = JSON.parse(process.argv[2]!) as TokenChange
const library = await loadCryptoki(wanted.modulePath, functions)
if (wanted.change !== 'load') {
  await library.call('C_Initialize', { flags: 0x2 })
  if (wanted.change === 'create') await initialize(wanted, wanted.soPin)
  const session = await logIn(wanted)
  if (wanted.change === 'delete') {
    await deleteKeys(session, wanted.key)
  } else if (wanted.change === 'import') {
    await importKey(session, wanted)
  } else {
    process.stdout.write((await generate(session, wanted.key)).toString('hex'))
  }
  await library.call('C_Finalize', null)
}

async function initialize({ token, pin }: KeyAccess, soPin: string): Promise<void> {
  const slot = await slotWhere(({ flags }) => (flags & CKF_TOKEN_INITIALIZED) === 0)
  const label = Buffer.alloc(32, ' ')
  label.write(token)
  await library.call('C_InitToken', slot, Buffer.from(soPin), soPin.length, label)
  const session = await openSession(slot, CKU_SO, soPin)
  await library.call('C_InitPIN', session, Buffer.from(pin), pin.length)
  await library.call('C_CloseSession', session)
}

async function logIn({ token, pin }: KeyAccess): Promise<number> {
  const slot = await slotWhere(({ label }) => label === token)
  return openSession(slot, CKU_USER, pin)
}

async function slotWhere(
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
  throw new Error('SoftHSM has no such token')
}

async function openSession(slot: number, user: number, pin: string): Promise<number> {
  const session = [0]
  await library.call('C_OpenSession', slot, CKF_RW_SERIAL_SESSION, null, null, session)
  await library.call('C_Login', session[0], user, Buffer.from(pin), pin.length)
  return session[0]!
}

/** What both ways to a key pair say of it. */
function templates(key: string) {
  const shared = [attribute(CKA_TOKEN, yes), attribute(CKA_LABEL, Buffer.from(key))]
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

async function importKey(
  session: number,
  { key, seed, publicKey }: { key: string; seed: string; publicKey: string },
): Promise<void> {
  const { ofPublic, ofPrivate } = templates(key)
  const create = (keyClass: number, template: readonly Attribute[]) => {
    const whole = [
      attribute(CKA_CLASS, ulong(keyClass)),
      attribute(CKA_KEY_TYPE, ulong(CKK_EC_EDWARDS)),
      ...template,
    ]
    return library.call('C_CreateObject', session, whole, whole.length, [0])
  }
  const point = Buffer.from(`0420${publicKey}`, 'hex')
  await create(CKO_PUBLIC_KEY, [...ofPublic, attribute(CKA_EC_POINT, point)])
  await create(CKO_PRIVATE_KEY, [
    ...ofPrivate,
    attribute(CKA_EC_PARAMS, EDWARDS_25519),
    attribute(CKA_VALUE, Buffer.from(seed, 'hex')),
  ])
}

async function generate(session: number, key: string): Promise<Buffer> {
  const mechanism = {
    mechanism: CKM_EC_EDWARDS_KEY_PAIR_GEN,
    pParameter: null,
    ulParameterLen: 0,
  }
  const { ofPublic, ofPrivate } = templates(key)
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

async function deleteKeys(session: number, key: string): Promise<void> {
  const template = [attribute(CKA_LABEL, Buffer.from(key))]
  const keys: number[] = Array(MAX_KEYS).fill(0)
  const count = [0]
  await library.call('C_FindObjectsInit', session, template, template.length)
  await library.call('C_FindObjects', session, keys, keys.length, count)
  await library.call('C_FindObjectsFinal', session)
  for (const each of keys.slice(0, count[0])) await library.call('C_DestroyObject', session, each)
}

type Attribute = ReturnType<typeof attribute>

function attribute(type: number, pValue: Buffer) {
  return { type, pValue, ulValueLen: pValue.length }
}

function ulong(value: number): Buffer {
  return Buffer.from(new BigUint64Array([BigInt(value)]).buffer)
}
