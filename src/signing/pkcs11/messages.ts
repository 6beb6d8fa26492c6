import type { SignerProblem } from '../../stellar/accounts/envelope-signer.ts'
import type { Pkcs11Place } from '../signer-place.ts'

/** What the process with the PKCS#11 library is asked. It answers each request before it gets the next one. */
export interface LibraryRequest {
  readonly place: Pkcs11Place
  /** Digest of the PIN that the token refused last: it is not tried again. */
  readonly refusedPin: string | undefined
  /** The hashes to sign; undefined asks for the public key. */
  readonly hashes: readonly Uint8Array[] | undefined
}

export type LibraryAnswer =
  /** The signatures in the order of the hashes, or the public key alone. */
  | { readonly ok: true; readonly values: readonly Uint8Array[] }
  | {
      readonly ok: false
      readonly problem: SignerProblem
      readonly message: string
      /** Digest of the PIN, where the token has refused it. */
      readonly refusedPin?: string | undefined
    }
