/** Generates and deletes keys on a token: what the service itself never does. It is given a KeyChange. */
import {
  adminFunctions,
  generateKeys,
  labelled,
  logIn,
  withLibrary,
} from '../../../src/demo/token/token-admin.ts'
import { givenToProgram } from '../../../src/demo/token/token-program.ts'
import { loadCryptoki } from '../../../src/signing/pkcs11/cryptoki.ts'
import type { KeyChange } from './change-keys.ts'

const functions = {
  ...adminFunctions,
  C_DestroyObject: [22, 'ulong session, ulong object'],
} as const

const MAX_KEYS = 10

const wanted = givenToProgram<KeyChange>()
const library = await loadCryptoki(wanted.modulePath, functions)
await withLibrary(library, async () => {
  const session = await logIn(library, wanted)
  if (wanted.change === 'delete') return deleteKeys(session, wanted.key)
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
