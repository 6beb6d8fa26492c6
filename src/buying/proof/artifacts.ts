import { z } from 'zod'
import {
  ARTIFACT_VERSION,
  OFFER_RECEIPT,
  type ReadJws,
  readJws,
  type SignedArtifact,
} from '../../payments/protocol/offer-receipt.ts'

const text = z.string().max(4_096)

const offerPayload = z.object({
  version: z.literal(ARTIFACT_VERSION),
  resourceUrl: text,
  scheme: text,
  network: text,
  asset: text,
  payTo: text,
  amount: z.string().regex(/^\d{1,39}$/),
  validUntil: z.number().optional(),
})
const receiptPayload = z.object({
  version: z.literal(ARTIFACT_VERSION),
  network: text,
  resourceUrl: text,
  payer: text,
  issuedAt: z.number(),
  transaction: text.optional(),
})
export type ReadOfferPayload = z.output<typeof offerPayload>
export type ReadReceiptPayload = z.output<typeof receiptPayload>

/** An artifact that can be read; nothing of it is verified. */
export interface Artifact<Payload> {
  readonly jws: ReadJws
  readonly alg: unknown
  readonly kid: string
  readonly payload: Payload
}

export const readOffer = (signed: SignedArtifact): Artifact<ReadOfferPayload> | undefined =>
  read(signed, offerPayload)

export const readReceipt = (signed: SignedArtifact): Artifact<ReadReceiptPayload> | undefined =>
  read(signed, receiptPayload)

function read<Payload>(
  { signature }: SignedArtifact,
  schema: z.ZodType<Payload>,
): Artifact<Payload> | undefined {
  const jws = readJws(signature)
  const payload = jws && schema.safeParse(jws.payload).data
  const kid = jws?.header['kid']
  if (!jws || payload === undefined || typeof kid !== 'string') return undefined
  return { jws, alg: jws.header['alg'], kid, payload }
}

/** The member of the extension in `extensions` of a message of the seller. */
export const extensionOf = (extensions: unknown): unknown =>
  (Object(extensions) as Readonly<Record<string, unknown>>)[OFFER_RECEIPT]

/** Undefined for anything but an artifact in the format JWS. */
export function artifactOf(value: unknown): SignedArtifact | undefined {
  const { format, signature } = Object(value) as Readonly<Record<string, unknown>>
  return format === 'jws' && typeof signature === 'string' && signature.length <= 16_384
    ? { format, signature }
    : undefined
}
