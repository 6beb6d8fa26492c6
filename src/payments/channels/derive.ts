import { hkdfSync } from 'node:crypto'
import type { NetworkId } from '../../platform/core/caip2.ts'
import { type Signer, seedOfSecret, signerFromSeed } from '../../stellar/accounts/signer.ts'

/** The salt of the settlement authority's seed; see `SALT`. */
const AUTHORITY_SALT = 'svc/upto-authority/v1'

/** Names the derivation; a changed derivation gets a new salt, and with it other accounts. */
const SALT = 'svc/channel/v1'

/**
 * The ed25519 seed of one channel: HKDF-SHA256 (RFC 5869) of the sponsor's 32-byte seed, with the
 * network and the index as info. The sponsor's seed gives every channel's seed; a channel's seed gives
 * neither the sponsor's nor another channel's.
 */
export function channelSeed(
  sponsorSeed: Uint8Array,
  network: NetworkId,
  index: number,
): Uint8Array {
  if (sponsorSeed.length !== 32) throw new RangeError('a sponsor seed has 32 bytes')
  if (!Number.isSafeInteger(index) || index < 0) throw new RangeError(`no channel index: ${index}`)
  return new Uint8Array(hkdfSync('sha256', sponsorSeed, SALT, `${network}/${index}`, 32))
}

/** The key of one channel. @param sponsorSecret `S...` */
export const channelSigner = (sponsorSecret: string, network: NetworkId, index: number): Signer =>
  signerFromSeed(channelSeed(seedOfSecret(sponsorSecret), network, index))

/**
 * The key of the sponsor's settlement authority for the scheme `upto` on one network, derived as a channel's.
 *
 * @param sponsorSecret `S...`
 */
export const authoritySigner = (sponsorSecret: string, network: NetworkId): Signer =>
  signerFromSeed(
    new Uint8Array(hkdfSync('sha256', seedOfSecret(sponsorSecret), AUTHORITY_SALT, network, 32)),
  )
