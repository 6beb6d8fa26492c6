import { randomInt } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Pkcs11Place } from '../../signing/signer-place.ts'
import { createToken } from './create-token.ts'

/** A token of SoftHSM in a folder, and what a process needs to use it. */
export interface SoftHsmFolder {
  readonly place: Pkcs11Place
  /** The variable that SoftHSM reads its settings from. */
  readonly environment: { readonly SOFTHSM2_CONF: string }
  readonly pin: string
  /** The raw 32 bytes of the key that it was made with. */
  readonly publicKey: Uint8Array
  /** Where SoftHSM keeps its tokens. */
  readonly tokens: string
}

/** Of the administrator, whom nothing here needs again. */
const SO_PIN = '12345678'
const USER_ONLY = { mode: 0o600 }

const randomPin = (): string => String(randomInt(1e9)).padStart(9, '0')

/** A new token with a key in a folder that exists and is empty. @param label of the token */
export async function makeSoftHsmFolder(
  folder: string,
  modulePath: string,
  label: string,
): Promise<SoftHsmFolder> {
  const tokens = join(folder, 'tokens')
  const settings = join(folder, 'softhsm2.conf')
  const pinFile = join(folder, 'pin')
  const place: Pkcs11Place = { kind: 'pkcs11', modulePath, token: label, key: 'sponsor', pinFile }
  const environment = { SOFTHSM2_CONF: settings }
  const pin = randomPin()
  await mkdir(tokens, { mode: 0o700 })
  await writeFile(settings, `directories.tokendir = ${tokens}\nobjectstore.backend = file\n`)
  await writeFile(pinFile, `${pin}\n`, USER_ONLY)
  const access = { modulePath, token: label, key: place.key, pin, soPin: SO_PIN }
  const publicKey = await createToken(access, environment)
  return { place, environment, pin, publicKey, tokens }
}
