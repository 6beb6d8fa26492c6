import type { xdr } from '@stellar/stellar-sdk'
import type { ClientStellarSigner } from '@x402/stellar'

type SignAuthEntry = ClientStellarSigner['signAuthEntry']

/** What a signer answers. */
export type AccountSignature = Awaited<ReturnType<SignAuthEntry>> & {
  /**
   * Base64 XDR `SorobanAuthorizationEntry`: other accounts authorize the `__check_auth` of the account in these. @default none
   */
  readonly furtherEntries?: readonly string[]
}

/**
 * Signs for the account that pays. `signAuthEntry` gets the base64 XDR `HashIdPreimage` of an authorization. Its `signedAuthEntry` is base64:
 * of an account `G...` the 64 bytes of the ed25519 signature, as the stock signers have it, and of a contract account `C...` the XDR of the
 * `ScVal` that its `__check_auth` takes.
 */
export interface AccountSigner extends ClientStellarSigner {
  readonly signAuthEntry: (...asked: Parameters<SignAuthEntry>) => Promise<AccountSignature>
  /**
   * Reads from the ledger what signing will need, before anything is recorded as signed. Throws AccountRefusal when the account will not
   * accept a signature of the key for these calls.
   */
  readonly prepare?: (invocation: xdr.SorobanAuthorizedInvocation) => Promise<void>
}
