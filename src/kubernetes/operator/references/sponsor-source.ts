import { canonicalJson } from '../../../platform/core/text/canonical-json.ts'
import type { SponsorSource } from '../../crd/channel-pool/sponsor-source.ts'

/** The fields of a source in any order have one id. It names Secrets, and holds no value of one. */
export const sponsorSourceId = (source: SponsorSource): string => canonicalJson(source)

export const sameSponsorSource = (one: SponsorSource, other: SponsorSource): boolean =>
  sponsorSourceId(one) === sponsorSourceId(other)

/** Where an administrator finds the key of the sponsor, as in a sentence. */
export const describeSponsorSource = ({ secretRef }: SponsorSource): string =>
  `Secret ${secretRef.name}`

/** The names of the Secrets with what signs for the sponsor. */
export const secretNamesOf = ({ secretRef }: SponsorSource): readonly string[] => [secretRef.name]
