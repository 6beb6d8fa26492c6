import type { Clock } from '../platform/core/time/clock.ts'
import type { KeyService } from './key-service.ts'
import type { SignerPlace } from './signer-place.ts'

/** Connects to nothing yet: the first call does. */
export function openKeyService(place: SignerPlace, _clock: Clock): KeyService {
  throw new Error(`not there yet: ${place.kind}`)
}
