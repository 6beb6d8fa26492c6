import type { SigningRequest } from '../stellar/accounts/envelope-signer.ts'

/** One answer of a key service. */
export type SigningResult =
  | { readonly ok: true; readonly signature: Uint8Array }
  /** Its rules forbid this request; `because` is a short reason without secrets. */
  | { readonly ok: false; readonly because: string }

/** The most requests that one call to a key service holds. */
export const MAX_BATCH = 100

/**
 * A place that holds one ed25519 key and signs with it. It neither batches, nor repeats, nor checks signatures: `GuardedSigner` does. After
 * an error the next call may succeed: a service that needs a new session or login gets one then.
 */
export interface KeyService extends AsyncDisposable {
  /** The raw 32 bytes of the public key that it signs with now. Throws `SignerError`. */
  publicKey(signal: AbortSignal): Promise<Uint8Array>
  /**
   * One result for each request, in order, at most `MAX_BATCH`. Throws `SignerError` where the whole batch failed, and the signal's reason when it
   * aborts: then no more is done for these requests, as far as the service allows.
   */
  sign(requests: readonly SigningRequest[], signal: AbortSignal): Promise<readonly SigningResult[]>
}
