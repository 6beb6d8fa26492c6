import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/** What `change-token-process.ts` does to a token, as a person with a program of the token's maker would. */
export type TokenChange =
  /** Only loads the library, to see whether it can run here. */
  | { readonly change: 'load'; readonly modulePath: string }
  /** A new token with a key. */
  | ({ readonly change: 'create'; readonly soPin: string } & KeyAccess)
  | ({ readonly change: 'generate' | 'delete' } & KeyAccess)
  /** A key pair from outside, 32 bytes each in hex. */
  | ({
      readonly change: 'import'
      readonly seed: string
      readonly publicKey: string
    } & KeyAccess)

export interface KeyAccess {
  readonly modulePath: string
  /** Label of the token. */
  readonly token: string
  /** Label of the key pair. */
  readonly key: string
  readonly pin: string
}

/**
 * Changes a token in a process of its own: SoftHSM reads its settings from the environment once.
 * @returns the CKA_EC_POINT of a generated key, otherwise nothing
 */
export async function changeToken(
  change: TokenChange,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Uint8Array> {
  const program = fileURLToPath(new URL('./change-token-process.ts', import.meta.url))
  const args = [program, JSON.stringify(change)]
  const { stdout } = await promisify(execFile)(process.execPath, args, { env: environment })
  return new Uint8Array(Buffer.from(stdout.trim(), 'hex'))
}
