import type { ReadOfferPayload, ReadReceiptPayload } from './artifacts.ts'
import type { SavedProof } from './saved-proof.ts'

/** A receipt is issued with the answer; clocks may differ. */
const MAX_APART_MS = 3_600_000

/** The members of offer and receipt that are not about the payment, each as a phrase; empty when all agree. */
export function wrongTerms(
  proof: SavedProof,
  offer: ReadOfferPayload | undefined,
  receipt: ReadReceiptPayload | undefined,
): readonly string[] {
  const { url, network, scheme, asset, payTo, payer, signed, transaction, at } = proof
  const differing = (kind: string, pairs: Readonly<Record<string, readonly [unknown, unknown]>>) =>
    Object.entries(pairs).flatMap(([name, [is, wanted]]) =>
      is === wanted ? [] : [`the ${kind} has another ${name}`],
    )
  const ofOffer = offer
    ? differing('offer', {
        resourceUrl: [offer.resourceUrl, url],
        scheme: [offer.scheme, scheme],
        network: [offer.network, network],
        asset: [offer.asset, asset],
        payTo: [offer.payTo, payTo],
        amount: [offer.amount, signed],
      })
    : []
  const ofReceipt = receipt
    ? differing('receipt', {
        resourceUrl: [receipt.resourceUrl, url],
        network: [receipt.network, network],
        payer: [receipt.payer, payer],
        // An empty text is as good as none, by the extension.
        ...(receipt.transaction && {
          transaction: [receipt.transaction.toLowerCase(), transaction],
        }),
      })
    : []
  const isLate = receipt && !(Math.abs(receipt.issuedAt * 1_000 - Date.parse(at)) <= MAX_APART_MS)
  const isExpired =
    offer?.validUntil && receipt && receipt.issuedAt > offer.validUntil + MAX_APART_MS / 1_000
  return [
    ...ofOffer,
    ...ofReceipt,
    ...(isLate ? ['the receipt is of another time'] : []),
    ...(isExpired ? ['the offer had ended'] : []),
  ]
}
