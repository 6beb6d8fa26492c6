import type { NetworkId } from '../../platform/core/caip2.ts'
import type { Signer } from '../../stellar/accounts/signer.ts'
import type { StoredAuthority } from '../store/upto/authorities.ts'
import type { OtherSponsor } from './sponsor-keys.ts'

/** A network's sponsor, the one before it and the one that replaces it. */
export interface Sponsors {
  readonly keys: OtherSponsor
  readonly previousSponsor?: OtherSponsor | undefined
  readonly nextSponsor?: OtherSponsor | undefined
}

/**
 * The settlement authorities of the scheme `upto` whose accounts this sponsor creates and merges: its own first, then that
 * of the sponsor before it, for which buyers may still have signed. The next sponsor creates its own.
 */
export function authoritySigners(
  network: NetworkId,
  { keys, previousSponsor }: Sponsors,
): readonly [Signer, ...Signer[]] {
  const own = keys.authority(network)
  return previousSponsor ? [own, previousSponsor.authority(network)] : [own]
}

/** All of them with their sponsors, as the store has them. */
export const authoritiesToStore = (
  network: NetworkId,
  { keys, previousSponsor, nextSponsor }: Sponsors,
): readonly StoredAuthority[] =>
  [keys, previousSponsor, nextSponsor]
    .filter((sponsor) => sponsor !== undefined)
    .map((sponsor) => ({
      network,
      sponsor: sponsor.address,
      account: sponsor.authority(network).address,
    }))
