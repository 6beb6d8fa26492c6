import { z } from 'zod'
import { networkIds } from '../../core/caip2.ts'
import { isProven } from '../../stellar/signer-proof.ts'
import { addressKind } from '../../stellar/strkey.ts'
import type { SignerKey } from '../../store/explorer/signers-replace.ts'

/** Twice the signers that are read of a facilitator: it may prove each on two networks. */
const MAX_PROOFS = 128

const proofSchema = z.object({
  network: z.enum(networkIds),
  signer: z.string().refine((text) => addressKind(text) === 'account'),
  expiresAt: z.iso.datetime(),
  signature: z.string().max(100),
})
const answerSchema = z.object({ proofs: z.array(z.unknown()) })

/** The named signers for which the answer has a proof that holds now. */
export function provenSigners(
  body: Uint8Array,
  {
    named,
    baseUrl,
    now,
  }: {
    readonly named: readonly SignerKey[]
    readonly baseUrl: string
    readonly now: number
  },
): readonly SignerKey[] {
  const proven = new Set(
    proofsIn(body)
      .filter((proof) => isProven(proof, baseUrl, now))
      .map(({ network, signer }) => `${network} ${signer}`),
  )
  return named.filter(({ network, address }) => proven.has(`${network} ${address}`))
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
