import { setImmediate as nextTurn } from 'node:timers/promises'
import { z } from 'zod'
import { networkIds } from '../../platform/core/caip2.ts'
import { publicPaths } from '../../platform/core/http-paths.ts'
import { isoTime } from '../../platform/core/text/iso-time.ts'
import type { Clock } from '../../platform/core/time/clock.ts'
import type { Route } from '../../platform/http/server/route.ts'
import { proveSigner, type SignerProof } from '../../stellar/accounts/signer-proof.ts'
import type { ServedNetwork } from '../engine/network/served-network.ts'

const signerProofsSchema = z
  .strictObject({
    proofs: z
      .array(
        z.strictObject({
          network: z.enum(networkIds),
          signer: z.string(),
          expiresAt: z.iso.datetime(),
          signature: z
            .string()
            .describe('Base64, of the message that the page on the explorer describes (SEP-53).'),
        }),
      )
      .readonly(),
  })
  .readonly()
type SignerProofs = z.output<typeof signerProofsSchema>

export const proofsRoute: Route = {
  id: 'signerProofs',
  method: 'get',
  path: publicPaths.proofs,
  isPublicRead: true,
  tag: 'Facilitator',
  summary: 'Signatures of the signers that they belong to this facilitator',
  answers: {
    200: {
      description: 'Of the sponsor and its channels; none unless `PUBLIC_URL` is set',
      body: { name: 'SignerProofs', schema: signerProofsSchema },
    },
  },
}

/** An explorer asks every five minutes; who takes over the address of this service has the proofs no longer than this. */
const VALID_MS = 86_400_000
const RENEWED_AFTER_MS = VALID_MS / 4
/** Explorers read no more signers of a network. */
const MAX_SIGNERS = 64

interface SignerProofDeps {
  readonly networks: () => Iterable<Pick<ServedNetwork, 'id' | 'sponsor' | 'channels'>>
  /**
   * The public URL of this service, without a trailing slash; undefined: nothing is proven. Never taken from a request: a proof for the
   * address of someone else would make that one the owner of these signers.
   */
  readonly publicUrl: string | undefined
  readonly clock: Clock
}

/** Gives proofs for the signers whose keys this process has, made again some hours before they expire or when channels change. */
export function signerProofs({ networks, publicUrl, clock }: SignerProofDeps) {
  let latest:
    | { readonly key: string; readonly until: number; readonly proofs: Promise<SignerProofs> }
    | undefined
  return async (): Promise<SignerProofs> => {
    if (publicUrl === undefined) return { proofs: [] }
    const served = [...networks()]
    const key = served.flatMap(({ id, channels }) => [id, ...channels.addresses]).join(' ')
    const now = clock.now()
    if (latest?.key === key && now < latest.until) return latest.proofs
    const proofs = prove(served, publicUrl, isoTime(now + VALID_MS))
    const made = { key, until: now + RENEWED_AFTER_MS, proofs }
    latest = made
    proofs.catch(() => {
      if (latest === made) latest = undefined
    })
    return proofs
  }
}

async function prove(
  served: readonly Pick<ServedNetwork, 'id' | 'sponsor' | 'channels'>[],
  baseUrl: string,
  expiresAt: string,
): Promise<SignerProofs> {
  const proofs: SignerProof[] = []
  for (const { id: network, sponsor, channels } of served) {
    const statement = { baseUrl, network, expiresAt }
    proofs.push(await proveSigner(sponsor, statement))
    for (const signer of channels.ownSigners(MAX_SIGNERS - 1)) {
      proofs.push(await proveSigner(signer, statement))
      // A payment comes between two signatures.
      await nextTurn()
    }
  }
  return { proofs }
}
