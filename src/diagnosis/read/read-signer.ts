import { sponsorsOf } from '../../payments/channels/sponsor-keys.ts'
import type { NetworkConfig } from '../../settings/sections/network-settings.ts'
import { GuardedSigner } from '../../signing/guarded-signer.ts'
import { openKeyService } from '../../signing/open-key-service.ts'
import type { SignerHealth } from '../../signing/signer-health.ts'
import type { FetchLimits } from '../facts/fetched.ts'

/** Asks for the key once; undefined where the seed is in the configuration. */
export async function readSigner(
  network: NetworkConfig,
  { clock, timeoutMs }: FetchLimits,
): Promise<SignerHealth | undefined> {
  const { sponsorSigner: place } = network
  if (!place) return undefined
  const { address } = sponsorsOf(network).keys
  const service = openKeyService(place, clock)
  await using guard = new GuardedSigner({ service, address, clock, timeoutMs })
  await guard.check().catch(() => undefined)
  return guard.health
}
