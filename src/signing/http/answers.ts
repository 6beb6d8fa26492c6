/** What a service of the signing protocol answers; docs/signer-protocol.md describes it. */
import { z } from 'zod'
import { SignerError } from '../../stellar/accounts/envelope-signer.ts'
import { publicKeyOf } from '../../stellar/accounts/strkey.ts'
import type { SigningResult } from '../key-service.ts'

const SIGNATURE_BYTES = 64
/** Of a refusal: it goes into log lines. */
const MAX_REASON_CHARACTERS = 400

const keyAnswer = z.object({ publicKey: z.string() })

const signature = z
  .base64()
  .transform((text) => new Uint8Array(Buffer.from(text, 'base64')))
  .refine((bytes) => bytes.length === SIGNATURE_BYTES)
const short = z.string().transform((text) => text.slice(0, MAX_REASON_CHARACTERS))

const signAnswer = z.object({
  results: z.array(
    z.union([
      z.strictObject({ signature }),
      z.strictObject({ refused: z.object({ code: short, reason: short }) }),
    ]),
  ),
})

/** The raw 32 bytes of the key. Throws `SignerError`. */
export function readKeyAnswer(json: unknown): Uint8Array {
  const { data } = keyAnswer.safeParse(json)
  try {
    if (data) return publicKeyOf(data.publicKey)
  } catch {
    // A wrong checksum is no key either.
  }
  throw new SignerError('invalid', 'the key service states no public key G...')
}

/** One result for each request. Throws `SignerError`. */
export function readSignAnswer(json: unknown, requests: number): readonly SigningResult[] {
  const { data } = signAnswer.safeParse(json)
  if (!data) {
    throw new SignerError('invalid', 'the answer of the key service is not as the protocol says')
  }
  const { results } = data
  if (results.length !== requests) {
    const counts = `${results.length} results to ${requests} requests`
    throw new SignerError('invalid', `the key service answered with ${counts}`)
  }
  return results.map((result) =>
    'signature' in result
      ? { ok: true, signature: result.signature }
      : { ok: false, because: `${result.refused.code}: ${result.refused.reason}` },
  )
}
