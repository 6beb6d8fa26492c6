import type { NetworkId } from '../core/caip2.ts'
import { type Signer, signerFromSecret } from '../stellar/signer.ts'
import type { StoredAuthority } from '../store/upto/authorities.ts'
import { authoritySigner } from './derive.ts'

/** The seeds of a network's sponsor and of the one before it, `S...`. */
export interface SponsorSeeds {
  readonly sponsorSecret: string
  readonly previousSponsorSecret?: string | undefined
}

/**
 * The settlement authorities of the scheme `upto` on a network: the sponsor's own first, then that of the sponsor before
 * it, for which buyers may still have signed.
 */
export function authoritySigners(
  network: NetworkId,
  { sponsorSecret, previousSponsorSecret }: SponsorSeeds,
): readonly [Signer, ...Signer[]] {
  const own = authoritySigner(sponsorSecret, network)
  return previousSponsorSecret === undefined
    ? [own]
    : [own, authoritySigner(previousSponsorSecret, network)]
}

/** The same with their sponsors, as the store has them. */
export const authoritiesToStore = (
  network: NetworkId,
  { sponsorSecret, previousSponsorSecret }: SponsorSeeds,
): readonly StoredAuthority[] =>
  [sponsorSecret, ...(previousSponsorSecret === undefined ? [] : [previousSponsorSecret])].map(
    (secret) => ({
      network,
      sponsor: signerFromSecret(secret).address,
      account: authoritySigner(secret, network).address,
    }),
  )
