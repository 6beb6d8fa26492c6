/** Contract accounts `C...` as payers: their signers, and the scheme `exact` for them. Register it in a stock x402 client, 2.9.0 or newer. */
export {
  type AccountKey,
  type Assertion,
  type Ed25519Key,
  type Passkey,
  readAccountKey,
} from '../buying/signers/account-key.ts'
export { AccountRefusal, type AccountRefusalCode } from '../buying/signers/account-refusal.ts'
export type { AccountSignature, AccountSigner } from '../buying/signers/account-signer.ts'
export { type ContractAccount, contractSigner } from '../buying/signers/contract-signer.ts'
export { ExactAccountScheme, type ExactClientOptions } from '../buying/signers/exact-scheme.ts'
export { RefusedOffer } from '../buying/signers/refused-offer.ts'
