import type { NetworkId } from '../../platform/core/caip2.ts'
import { type Signer, signerFromSecret } from '../../stellar/accounts/signer.ts'
import type { StoredAuthority } from '../store/upto/authorities.ts'
import { authoritySigner } from './derive.ts'

/** The seeds of a network's sponsor, of the one before it and of the one that replaces it, `S...`. */
export interface SponsorSeeds {
  readonly sponsorSecret: string
  readonly previousSponsorSecret?: string | undefined
  readonly nextSponsorSecret?: string | undefined
}

/**
 * The settlement authorities of the scheme `upto` whose accounts this sponsor creates and merges: its own first, then that
 * of the sponsor before it, for which buyers may still have signed. The next sponsor creates its own.
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

/** The settlement authority of the next sponsor; undefined without one. */
export const nextAuthoritySigner = (
  network: NetworkId,
  { nextSponsorSecret }: SponsorSeeds,
): Signer | undefined =>
  nextSponsorSecret === undefined ? undefined : authoritySigner(nextSponsorSecret, network)

/** All of them with their sponsors, as the store has them. */
export const authoritiesToStore = (
  network: NetworkId,
  { sponsorSecret, previousSponsorSecret, nextSponsorSecret }: SponsorSeeds,
): readonly StoredAuthority[] =>
  [sponsorSecret, previousSponsorSecret, nextSponsorSecret]
    .filter((secret) => secret !== undefined)
    .map((secret) => ({
      network,
      sponsor: signerFromSecret(secret).address,
      account: authoritySigner(secret, network).address,
    }))
