import {
  ARTIFACT_VERSION,
  jwsSigningInput,
  type OfferPayload,
  type ReceiptPayload,
  type SignedArtifact,
} from '../../payments/protocol/offer-receipt.ts'
import type { ReceiptSigner } from './signer.ts'

/** Signs the terms of one way to pay. */
export const signOffer = (
  signer: ReceiptSigner,
  offer: Omit<OfferPayload, 'version'>,
): Promise<SignedArtifact> => signed(signer, { version: ARTIFACT_VERSION, ...offer })

/** Signs that a payment was received and the resource delivered. */
export const signReceipt = (
  signer: ReceiptSigner,
  receipt: Omit<ReceiptPayload, 'version'>,
): Promise<SignedArtifact> => signed(signer, { version: ARTIFACT_VERSION, ...receipt })

async function signed(
  { kid, algorithm, sign }: ReceiptSigner,
  payload: OfferPayload | ReceiptPayload,
): Promise<SignedArtifact> {
  const input = jwsSigningInput({ alg: algorithm, kid }, payload)
  return { format: 'jws', signature: `${input}.${await sign(Buffer.from(input, 'ascii'))}` }
}
