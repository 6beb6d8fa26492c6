import { createHash } from 'node:crypto'
import { canonicalJson } from '../../../platform/core/text/canonical-json.ts'
import type { SponsorSource } from '../../crd/channel-pool/sponsor-source.ts'
import type { ChannelPool } from '../../crd/channel-pool.ts'
import type { SecretKey } from '../../crd/fields/fields.ts'
import { childName } from '../../crd/names/child-name.ts'
import type { Frozen } from '../../crd/resource.ts'

export type { SponsorSource } from '../../crd/channel-pool/sponsor-source.ts'

type Source = Frozen<SponsorSource>

/** The fields of a source in any order have one id. It names Secrets, and holds no value of one. */
export const sponsorSourceId = (source: Source): string => canonicalJson(source)

export const sameSponsorSource = (one: Source, other: Source): boolean =>
  sponsorSourceId(one) === sponsorSourceId(other)

/** What of a source is a file in pods and in the operator. */
export interface SignerFile {
  readonly ref: SecretKey
  /** Ends the name of the file. */
  readonly suffix: 'pin' | 'ca.crt' | 'tls.crt' | 'tls.key'
  /** The field that names the Secret. */
  readonly field: string
}

/** The files with which the pods and the operator ask the signer; none with a seed. */
export function signerFiles({ pkcs11, vault, http }: Source): readonly SignerFile[] {
  const file = (suffix: SignerFile['suffix'], field: string, ref: SecretKey | undefined) =>
    ref ? [{ ref, suffix, field: `sponsor.${field}` }] : []
  const client = (key: string) => http?.clientSecretRef && { ...http.clientSecretRef, key }
  return [
    ...file('pin', 'pkcs11.pinSecretRef', pkcs11?.pinSecretRef),
    ...file('ca.crt', 'vault.caSecretRef', vault?.caSecretRef),
    ...file('ca.crt', 'http.caSecretRef', http?.caSecretRef),
    ...file('tls.crt', 'http.clientSecretRef', client('tls.crt')),
    ...file('tls.key', 'http.clientSecretRef', client('tls.key')),
  ]
}

/** The names of the Secrets that the source names. */
export const secretNamesOf = (source: Source): readonly string[] => [
  ...new Set([
    ...(source.secretRef ? [source.secretRef.name] : []),
    ...signerFiles(source).map(({ ref }) => ref.name),
  ]),
]

const HASH_LENGTH = 8
const CHANNEL_SECRET_KEY = 'secret'

/**
 * The Secret that the operator creates for a sponsor without a seed: the keys of its channels are derived from it. Undefined with a
 * seed, from which they are derived then.
 */
export function channelSecretOf(
  { metadata }: { readonly metadata: Pick<ChannelPool['metadata'], 'name'> },
  { secretRef, address }: Source,
): SecretKey | undefined {
  if (secretRef || address === undefined) return undefined
  const hash = createHash('sha256').update(address).digest('hex').slice(0, HASH_LENGTH)
  return { name: childName(metadata.name, `channels-${hash}`), key: CHANNEL_SECRET_KEY }
}

/** The Secret from which the keys of the sponsor's channels are derived: by it a step of a rotation is told from the next. */
export const keySecretOf = (
  pool: Parameters<typeof channelSecretOf>[0],
  source: Source,
): SecretKey => channelSecretOf(pool, source) ?? source.secretRef ?? { name: '', key: '' }

/** Where an administrator finds the key of the sponsor, as in a sentence. */
export function describeSponsorSource({ secretRef, pkcs11, vault, http }: Source): string {
  if (secretRef) return `Secret ${secretRef.name}`
  if (pkcs11) return `key ${pkcs11.key} of token ${pkcs11.token}`
  if (vault) return `key ${vault.key} of ${vault.address}`
  return http?.url ?? http?.socketPath ?? 'spec.sponsor'
}
