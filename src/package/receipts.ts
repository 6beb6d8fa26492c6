/** Signed offers and receipts (`offer-receipt`) for sellers, in a stock x402 server of 2.9.0 or newer that serves HTTP. */
export type {
  OfferPayload,
  ReceiptPayload,
  SignedArtifact,
} from '../payments/protocol/offer-receipt.ts'
export {
  declareReceipts,
  type ReceiptDeclaration,
  type ReceiptsOptions,
  receipts,
} from '../selling/receipts/extension.ts'
export { signOffer, signReceipt } from '../selling/receipts/issue.ts'
export {
  didDocument,
  payToSigner,
  type ReceiptSigner,
  type SiteKey,
  siteSigner,
} from '../selling/receipts/signer.ts'
