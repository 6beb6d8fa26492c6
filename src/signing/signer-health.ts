import type { SignerError } from '../stellar/accounts/envelope-signer.ts'

/** The state of what signs for a sponsor, as far as this process knows. */
export type SignerHealth =
  /** It has not answered yet. */
  | { readonly state: 'unknown' }
  | { readonly state: 'works' }
  /** Nothing is asked to be signed meanwhile. */
  | { readonly state: 'fails'; readonly error: SignerError }
