/** What the signing protocol sends and answers; docs/signer-protocol.md of the facilitator describes it. */
import { z } from 'zod'

/** The body of a request is no larger. */
export const MAX_BODY_BYTES = 8 * 1024 * 1024
/** The largest transaction of the network has 129 KiB, in base64 172 KiB. */
const MAX_ENVELOPE_CHARACTERS = 256 * 1024
const MAX_MESSAGE_CHARACTERS = 1_024
const MAX_REQUESTS = 100

const signingRequest = z.discriminatedUnion('kind', [
  z.strictObject({
    network: z.string().max(100),
    purpose: z.enum(['settlement', 'channels', 'rotation', 'contract']),
    kind: z.literal('transaction'),
    envelope: z.string().max(MAX_ENVELOPE_CHARACTERS),
  }),
  z.strictObject({
    network: z.string().max(100),
    purpose: z.literal('announcement'),
    kind: z.literal('message'),
    message: z.string().max(MAX_MESSAGE_CHARACTERS),
  }),
])
export type SigningRequest = z.output<typeof signingRequest>

export const signBody = z.strictObject({
  requests: z.array(signingRequest).min(1).max(MAX_REQUESTS),
})

export type SigningAnswer =
  | { readonly signature: string }
  | { readonly refused: { readonly code: string; readonly reason: string } }
