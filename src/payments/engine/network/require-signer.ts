import type { ServedNetwork } from './served-network.ts'

/**
 * Throws the `SignerError` of a signer that fails, before a payment claims anything: then no channel is held, and the caller tries again when the
 * signer answers.
 */
export function requireSigner({ signer }: Pick<ServedNetwork, 'signer'>): void {
  if (signer?.health.state === 'fails') throw signer.health.error
}
