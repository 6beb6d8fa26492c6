import { publicKeyOfPoint } from '../../signing/pkcs11/ec-point.ts'
import type { KeyAccess } from './token-admin.ts'
import { runTokenProgram } from './token-program.ts'

type Variables = Readonly<Record<string, string | undefined>>

/** What `create-token-process.ts` is given. */
export type TokenCreation =
  /** Only loads the library, to see whether it can run here. */
  | { readonly create: false; readonly modulePath: string }
  | ({ readonly create: true; readonly soPin: string } & KeyAccess)

const run = (given: TokenCreation, environment: Variables) =>
  runTokenProgram(new URL('./create-token-process.ts', import.meta.url), given, environment)

/** A new token with a pair of ed25519 keys. @returns the public key */
export async function createToken(
  access: KeyAccess & { readonly soPin: string },
  environment: Variables,
): Promise<Uint8Array> {
  const point = await run({ create: true, ...access }, environment)
  const publicKey = publicKeyOfPoint(Buffer.from(point, 'hex'))
  if (!publicKey) throw new Error(`the token stated no ed25519 key: ${point}`)
  return publicKey
}

/** Throws unless the library can be loaded on this machine. */
export async function loadLibrary(modulePath: string): Promise<void> {
  await run({ create: false, modulePath }, {})
}
