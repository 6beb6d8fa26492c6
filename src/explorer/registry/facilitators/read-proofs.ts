import { z } from 'zod'
import { networkIds } from '../../../platform/core/caip2.ts'
import { isProven } from '../../../stellar/accounts/signer-proof.ts'
import { addressKind } from '../../../stellar/accounts/strkey.ts'
import type { SignerKey, TrustedSigner } from '../../store/registry/signers-replace.ts'

/** Twice the signers that are read of a facilitator: it may prove each on two networks. */
const MAX_PROOFS = 128

const proofSchema = z.object({
  network: z.enum(networkIds),
  signer: z.string().refine((text) => addressKind(text) === 'account'),
  expiresAt: z.iso.datetime(),
  signature: z.string().max(100),
})
const answerSchema = z.object({ proofs: z.array(z.unknown()) })

interface Read {
  readonly named: readonly SignerKey[]
  readonly baseUrl: string
  readonly now: number
}

/** The named signers for which the answer has a proof that holds now, each with the end of its longest. */
export function provenSigners(
  body: Uint8Array,
  { named, baseUrl, now }: Read,
): readonly TrustedSigner[] {
  const ends = new Map<string, number>()
  for (const proof of proofsIn(body)) {
    if (!isProven(proof, baseUrl, now)) continue
    const name = `${proof.network} ${proof.signer}`
    ends.set(name, Math.max(ends.get(name) ?? 0, Date.parse(proof.expiresAt)))
  }
  return named.flatMap((key) => {
    const end = ends.get(`${key.network} ${key.address}`)
    return end === undefined ? [] : [{ ...key, provenUntil: new Date(end) }]
  })
}

function proofsIn(body: Uint8Array) {
  const answer = answerSchema.safeParse(parse(body))
  return (answer.data?.proofs ?? [])
    .slice(0, MAX_PROOFS)
    .flatMap((proof) => proofSchema.safeParse(proof).data ?? [])
}

function parse(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body).toString())
  } catch {
    return undefined
  }
}
