import { inheritedEnvironment } from '../platform/core/inherited-environment.ts'
import type { Clock } from '../platform/core/time/clock.ts'
import { openHttpSigner } from './http/http-signer.ts'
import type { KeyService } from './key-service.ts'
import { openPkcs11 } from './pkcs11/open-pkcs11.ts'
import type { SignerPlace } from './signer-place.ts'
import { openVault } from './vault/open-vault.ts'

/** Connects to nothing yet: the first call does. */
export function openKeyService(place: SignerPlace, clock: Clock): KeyService {
  switch (place.kind) {
    case 'pkcs11':
      return openPkcs11(place, { environment: inheritedEnvironment() })
    case 'vault':
      return openVault(place, { clock })
    case 'http':
      return openHttpSigner(place)
  }
}
