/** Generates, imports and deletes keys on a token: what the service itself never does. It is given a KeyChange. */
import {
  adminFunctions,
  attribute,
  CKA_EC_PARAMS,
  CKA_EC_POINT,
  EDWARDS_25519,
  generateKeys,
  keyTemplates,
  labelled,
  logIn,
  withLibrary,
} from '../../../src/demo/token/token-admin.ts'
import { givenToProgram } from '../../../src/demo/token/token-program.ts'
import { loadCryptoki } from '../../../src/signing/pkcs11/cryptoki.ts'
import type { KeyChange } from './change-keys.ts'

const functions = {
  ...adminFunctions,
  C_CreateObject: [20, 'ulong session, CK_ATTRIBUTE *template, ulong count, _Out_ ulong *object'],
  C_DestroyObject: [22, 'ulong session, ulong object'],
} as const

const CKO_PUBLIC_KEY = 2
const CKO_PRIVATE_KEY = 3
const CKK_EC_EDWARDS = 0x40
const CKA_CLASS = 0x0
const CKA_VALUE = 0x11
const CKA_KEY_TYPE = 0x100
const MAX_KEYS = 10

const wanted = givenToProgram<KeyChange>()
const library = await loadCryptoki(wanted.modulePath, functions)
await withLibrary(library, async () => {
  const session = await logIn(library, wanted)
  if (wanted.change === 'delete') return deleteKeys(session, wanted.key)
  if (wanted.change === 'import') return importKey(session, wanted)
  const point = await generateKeys(library, session, wanted.key)
  process.stdout.write(point.toString('hex'))
})

async function deleteKeys(session: number, key: string): Promise<void> {
  const template = [labelled(key)]
  const keys: number[] = Array(MAX_KEYS).fill(0)
  const count = [0]
  await library.call('C_FindObjectsInit', session, template, template.length)
  await library.call('C_FindObjects', session, keys, keys.length, count)
  await library.call('C_FindObjectsFinal', session)
  for (const each of keys.slice(0, count[0])) await library.call('C_DestroyObject', session, each)
}

async function importKey(
  session: number,
  { key, seed, publicKey }: { key: string; seed: string; publicKey: string },
): Promise<void> {
  const { ofPublic, ofPrivate } = keyTemplates(key)
  const create = (keyClass: number, template: readonly ReturnType<typeof attribute>[]) => {
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

function ulong(value: number): Buffer {
  return Buffer.from(new BigUint64Array([BigInt(value)]).buffer)
}
