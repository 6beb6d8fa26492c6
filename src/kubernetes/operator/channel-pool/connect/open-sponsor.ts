import {
  keysElsewhere,
  keysOfSeed,
  type SponsorKeys,
} from '../../../../payments/channels/sponsor-keys.ts'
import type { SignerPlace } from '../../../../signing/signer-place.ts'
import { SignerError } from '../../../../stellar/accounts/envelope-signer.ts'
import {
  describeSponsorSource,
  type SponsorSource,
  sponsorSourceId,
} from '../../references/sponsor-source.ts'
import type { OpenSigners } from './open-signers.ts'
import { signerBlocker } from './signer-blocker.ts'
import type { SponsorValues } from './sponsor-values.ts'

export interface SponsorToOpen {
  /** Of the pool. */
  readonly uid: string
  readonly source: SponsorSource
  /** That of the seed, or of the spec. */
  readonly address: string
  readonly values: SponsorValues
  /** The seed from which the keys of its channels are derived; undefined where that is its own. */
  readonly channelSecret: string | undefined
  /** The place of its key for this process, whose files have the values; undefined with a seed. */
  readonly place: SignerPlace | undefined
}

/**
 * What signs for the sponsor and its channels. Throws `PoolBlocked`: `SignerUnreachable`, `SignerDenied`, and `SponsorKeyMismatch` where
 * the key of the signer is not that of the address.
 */
export async function openSponsor(
  signers: OpenSigners,
  { uid, source, address, values, channelSecret, place }: SponsorToOpen,
): Promise<SponsorKeys> {
  if (values.kind === 'seed') return keysOfSeed(values.seed)
  if (place === undefined || channelSecret === undefined) {
    throw new Error(`no signer of ${describeSponsorSource(source)} is known`)
  }
  const guard = await signers.open({ uid, id: sponsorSourceId(source) }, { place, address })
  try {
    if (guard.health.state !== 'works') await guard.check()
  } catch (error) {
    if (error instanceof SignerError) throw signerBlocker(error)
    throw error
  }
  return keysElsewhere(guard, channelSecret)
}
