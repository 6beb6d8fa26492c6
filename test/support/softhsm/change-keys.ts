import type { KeyAccess } from '../../../src/demo/token/token-admin.ts'
import { runTokenProgram } from '../../../src/demo/token/token-program.ts'

/** What `change-keys-process.ts` does to a token, as a person with a program of the token's maker would. */
export type KeyChange =
  | ({ readonly change: 'generate' | 'delete' } & KeyAccess)
  /** A key pair from outside, 32 bytes each in hex. */
  | ({ readonly change: 'import'; readonly seed: string; readonly publicKey: string } & KeyAccess)

/** @returns the CKA_EC_POINT of a generated key, otherwise nothing */
export async function changeKeys(
  change: KeyChange,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Uint8Array> {
  const program = new URL('./change-keys-process.ts', import.meta.url)
  return Buffer.from(await runTokenProgram(program, change, environment), 'hex')
}
