import type { SignerPlace } from '../../../../signing/signer-place.ts'
import { describeSponsorSource, type SponsorSource } from '../../references/sponsor-source.ts'
import { PoolBlocked } from './blockers.ts'
import type { SponsorValues } from './sponsor-values.ts'

export interface SponsorToOpen {
  readonly source: SponsorSource
  /** That of the seed, or of the spec. */
  readonly address: string
  readonly values: SponsorValues
  /** The seed from which the keys of its channels are derived; undefined where that is its own. */
  readonly channelSecret: string | undefined
  /** The place of its key for this process, whose files have the values; undefined with a seed. */
  readonly place: SignerPlace | undefined
  readonly signal: AbortSignal
}

export interface OpenedSponsor {
  readonly sponsorSecret: string
}

/**
 * What signs for the sponsor and its channels. Throws `PoolBlocked`: `SignerUnreachable`, `SignerDenied`, and `SponsorKeyMismatch` where
 * the key of the signer is not that of the address.
 */
export async function openSponsor({ source, values }: SponsorToOpen): Promise<OpenedSponsor> {
  if (values.kind === 'seed') return { sponsorSecret: values.seed }
  // The one place where signers other than a seed are opened: from `place`, with `channelSecret` for channels and authority.
  const message = `This version of the operator cannot sign with ${describeSponsorSource(source)}: name a Secret with a seed in spec.sponsor.secretRef.`
  throw new PoolBlocked('SignerUnreachable', message)
}
