import {
  keysElsewhere,
  keysOfSeed,
  type SponsorKeys,
  type SponsorMembers,
  sponsorsOf,
} from '../../payments/channels/sponsor-keys.ts'
import type { Clock } from '../../platform/core/time/clock.ts'
import { GuardedSigner, type GuardOptions } from '../../signing/guarded-signer.ts'
import { openKeyService } from '../../signing/open-key-service.ts'
import type { SignerPlace } from '../../signing/signer-place.ts'

/** The settings of a network that name its sponsors, and where the key of the present one lies. */
export interface SponsorConfig extends SponsorMembers {
  readonly sponsorSigner?: SignerPlace | undefined
  readonly signerTimeoutMs: number
}

export interface OpenSponsors extends Omit<ReturnType<typeof sponsorsOf>, 'keys'>, AsyncDisposable {
  readonly keys: SponsorKeys
  /** Undefined where the seed is in this process. */
  readonly guard: GuardedSigner | undefined
}

/** Connects to nothing yet. Disposing of it disconnects. */
export function openSponsors(
  config: SponsorConfig,
  deps: { readonly clock: Clock } & Pick<GuardOptions, 'onCall' | 'onHealth'>,
): OpenSponsors {
  const { keys: derived, ...others } = sponsorsOf(config)
  const { sponsorSigner: place, sponsorSecret, channelSecret, signerTimeoutMs } = config
  if (place === undefined || channelSecret === undefined) {
    if (sponsorSecret === undefined) throw new Error('no setting names the key of the sponsor')
    const keys = keysOfSeed(sponsorSecret)
    return { ...others, keys, guard: undefined, [Symbol.asyncDispose]: async () => undefined }
  }
  const guard = new GuardedSigner({
    ...deps,
    service: openKeyService(place, deps.clock),
    address: derived.address,
    timeoutMs: signerTimeoutMs,
  })
  return {
    ...others,
    keys: keysElsewhere(guard, channelSecret),
    guard,
    [Symbol.asyncDispose]: () => guard[Symbol.asyncDispose](),
  }
}
