import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findSoftHsm } from '../../../src/demo/token/find-softhsm.ts'
import { makeSoftHsmFolder } from '../../../src/demo/token/softhsm-folder.ts'
import { publicKeyOfPoint } from '../../../src/signing/pkcs11/ec-point.ts'
import type { Pkcs11Place } from '../../../src/signing/signer-place.ts'
import { signerFromSeed } from '../../../src/stellar/accounts/signer.ts'
import { changeKeys } from './change-keys.ts'

export interface SoftHsmToken extends AsyncDisposable {
  readonly place: Pkcs11Place
  /** All variables that a process needs to use the token. */
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly pin: string
  /** The raw 32 bytes of the key that it was made with. */
  readonly publicKey: Uint8Array
  /** Writes the file that `place` names. */
  writePin(content: string): Promise<void>
  /** Takes the token out of its slot. */
  remove(): Promise<void>
  putBack(): Promise<void>
  /** Generates an ed25519 key pair with the label of `place`, and returns its public key. */
  generateKey(): Promise<Uint8Array>
  /** Stores the key pair of a seed of 32 bytes with that label. */
  importKey(seed: Uint8Array): Promise<void>
  /** Deletes all key pairs with that label. */
  deleteKeys(): Promise<void>
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

/** A new token with a key, and a file with its PIN. Only where `noSoftHsm` is undefined. */
export async function startToken(): Promise<SoftHsmToken> {
  const softHsm = await findSoftHsm()
  if ('reason' in softHsm) throw new Error(softHsm.reason)
  const folder = await mkdtemp(join(tmpdir(), 'svc-token-'))
  const made = await makeSoftHsmFolder(folder, softHsm.modulePath, 'a token of tests')
  const { place, pin, publicKey, tokens } = made
  const removed = join(folder, 'removed')
  const environment = { PATH: process.env['PATH'], ...made.environment }
  const access = { modulePath: place.modulePath, token: place.token, key: place.key, pin }
  return {
    ...{ place, environment, pin, publicKey },
    writePin: (content) => writeFile(place.pinFile, content),
    async remove() {
      await rename(tokens, removed)
      await mkdir(tokens)
    },
    async putBack() {
      await rm(tokens, { recursive: true })
      await rename(removed, tokens)
    },
    async generateKey() {
      const generated = await changeKeys({ change: 'generate', ...access }, environment)
      return publicKeyOfPoint(generated)!
    },
    async importKey(seed) {
      const publicKey = hex(signerFromSeed(seed).publicKey)
      await changeKeys({ change: 'import', seed: hex(seed), publicKey, ...access }, environment)
    },
    async deleteKeys() {
      await changeKeys({ change: 'delete', ...access }, environment)
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}
