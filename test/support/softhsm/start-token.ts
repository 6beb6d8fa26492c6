import { randomInt } from 'node:crypto'
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { publicKeyOfPoint } from '../../../src/signing/pkcs11/ec-point.ts'
import type { Pkcs11Place } from '../../../src/signing/signer-place.ts'
import { signerFromSeed } from '../../../src/stellar/accounts/signer.ts'
import { changeToken } from './change-token.ts'
import { findSoftHsm } from './find-softhsm.ts'

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

const SO_PIN = '12345678'

const randomPin = (): string => String(randomInt(1e9)).padStart(9, '0')

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

/** A new token with a key, and a file with its PIN. Only where `noSoftHsm` is undefined. */
export async function startToken(): Promise<SoftHsmToken> {
  const softHsm = await findSoftHsm()
  if ('reason' in softHsm) throw new Error(softHsm.reason)
  const folder = await mkdtemp(join(tmpdir(), 'svc-token-'))
  const tokens = join(folder, 'tokens')
  const removed = join(folder, 'removed')
  const settings = join(folder, 'softhsm2.conf')
  const place: Pkcs11Place = {
    kind: 'pkcs11',
    modulePath: softHsm.modulePath,
    token: 'a token of tests',
    key: 'sponsor',
    pinFile: join(folder, 'pin'),
  }
  const environment = { PATH: process.env['PATH'], SOFTHSM2_CONF: settings }
  const pin = randomPin()
  const access = { modulePath: place.modulePath, token: place.token, key: place.key, pin }
  await mkdir(tokens)
  await writeFile(settings, `directories.tokendir = ${tokens}\nobjectstore.backend = file\n`)
  await writeFile(place.pinFile, `${pin}\n`)
  const made = await changeToken({ change: 'create', soPin: SO_PIN, ...access }, environment)
  return {
    place,
    environment,
    pin,
    publicKey: publicKeyOfPoint(made)!,
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
      const generated = await changeToken({ change: 'generate', ...access }, environment)
      return publicKeyOfPoint(generated)!
    },
    async importKey(seed) {
      const publicKey = hex(signerFromSeed(seed).publicKey)
      await changeToken({ change: 'import', seed: hex(seed), publicKey, ...access }, environment)
    },
    async deleteKeys() {
      await changeToken({ change: 'delete', ...access }, environment)
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}
