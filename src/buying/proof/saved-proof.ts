import { z } from 'zod'
import type { SignedArtifact } from '../../payments/protocol/offer-receipt.ts'
import type { PaidAnswer } from '../pay/pay.ts'
import { artifactOf, extensionOf, readOffer } from './artifacts.ts'

const artifact = z.object({ format: z.literal('jws'), signature: z.string().max(16_384) })

/** What a buyer keeps of a paid call, to show later what was offered, paid and delivered. */
export const savedProofSchema = z.object({
  /** The URL that the buyer called. */
  url: z.string(),
  network: z.string(),
  scheme: z.string(),
  asset: z.string(),
  payTo: z.string(),
  payer: z.string(),
  /** The signed amount, in base units: the price, or the ceiling. */
  signed: z.string().regex(/^\d{1,39}$/),
  /** The amount paid, as far as the seller says it. */
  amount: z
    .string()
    .regex(/^\d{1,39}$/)
    .nullable(),
  transaction: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .nullable(),
  /** When the buyer had the answer: of a payment that was sent again, long after it was made. */
  at: z.iso.datetime(),
  /** Until when the payment could be made. */
  validUntil: z.iso.datetime(),
  /** Null when the seller signed none. */
  offer: artifact.nullable(),
  receipt: artifact.nullable(),
})
export type SavedProof = z.output<typeof savedProofSchema>

/** What a seller has signed about a paid call; null for what it has not, and for what is in a format other than JWS. */
export interface SellerProof {
  readonly offer: SignedArtifact | null
  readonly receipt: SignedArtifact | null
}

/** Verifies nothing. Of several offers it takes the one with the terms that were paid. */
export function sellerProof({
  quote,
  settlement,
}: Pick<PaidAnswer, 'quote' | 'settlement'>): SellerProof {
  const offered = infoOf(quote.required.extensions)['offers']
  const { scheme, network, asset, payTo, amount } = quote.offer
  const offers = Array.isArray(offered) ? offered.map(artifactOf) : []
  const offer = offers.find((each) => {
    const read = each && readOffer(each)?.payload
    return (
      read?.scheme === scheme &&
      read.network === network &&
      read.asset === asset &&
      read.payTo === payTo &&
      read.amount === String(amount)
    )
  })
  const { extensions } = settlement as { readonly extensions?: unknown }
  return { offer: offer ?? null, receipt: artifactOf(infoOf(extensions)['receipt']) ?? null }
}

const infoOf = (extensions: unknown): Readonly<Record<string, unknown>> =>
  Object(Object(extensionOf(extensions))['info'])

/** What `--save-receipt` writes. */
export function savedProof(paid: Pick<PaidAnswer, 'quote' | 'settlement' | 'receipt'>): SavedProof {
  const { url, network, scheme, asset, payTo, payer, signed, amount, transaction } = paid.receipt
  const { at, validUntil } = paid.receipt
  const { offer, receipt } = sellerProof(paid)
  return {
    url,
    network,
    scheme,
    asset,
    payTo,
    payer,
    signed,
    amount,
    transaction,
    at,
    validUntil,
    offer,
    receipt,
  }
}
