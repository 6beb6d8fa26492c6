import { signerFromSecret } from '../../../../stellar/accounts/signer.ts'
import { addressKind, isSecretSeed } from '../../../../stellar/accounts/strkey.ts'
import type { SecretKey } from '../../../crd/fields/fields.ts'
import { type SponsorSource, signerFiles } from '../../references/sponsor-source.ts'
import type { SecretReader } from '../../watches/secrets.ts'
import { PoolBlocked } from './blockers.ts'

/** What the Secrets of a sponsor hold: its seed, or the values with which its signer is asked. */
export type SponsorValues =
  | { readonly kind: 'seed'; readonly seed: string }
  /** By `valueId`. */
  | { readonly kind: 'signer'; readonly values: ReadonlyMap<string, string> }

export const valueId = ({ name, key }: SecretKey): string => `${name}/${key}`

interface OfNamespace {
  readonly namespace: string
  readonly source: SponsorSource
}

/** Longer certificates and PINs are neither. */
const MAX_VALUE_LENGTH = 65_536

/** Reads no Secret but those that the source names. Throws `PoolBlocked` and KubeErrors. */
export async function readSponsorValues(
  secrets: Pick<SecretReader, 'read'>,
  { namespace, source }: OfNamespace,
  signal: AbortSignal,
): Promise<SponsorValues> {
  const { secretRef } = source
  if (secretRef) {
    const seed = await secrets.read({ namespace, ...secretRef }, signal)
    return { kind: 'seed', seed: requireSeed(seed, secretRef) }
  }
  const values = new Map<string, string>()
  for (const { ref, field } of signerFiles(source)) {
    const value = await secrets.read({ namespace, ...ref }, signal)
    if (value === undefined || value === '' || value.length > MAX_VALUE_LENGTH) {
      const message = `There is no ${nameOf(ref)}, which spec.${field} names, or it is empty: create it.`
      throw new PoolBlocked('SignerSecretMissing', message)
    }
    values.set(valueId(ref), value)
  }
  return { kind: 'signer', values }
}

const nameOf = ({ name, key }: SecretKey): string => `Secret ${name}, key ${key}`

function requireSeed(seed: string | undefined, ref: SecretKey): string {
  if (seed === undefined) {
    throw new PoolBlocked('SponsorSecretMissing', `There is no ${nameOf(ref)}: create it.`)
  }
  if (isSecretSeed(seed)) return seed
  const message = `${nameOf(ref)} holds no seed of an account (S and 55 more characters).`
  throw new PoolBlocked('SponsorSecretInvalid', message)
}

/** The address of the sponsor: that of its seed, which the spec may repeat, or that of the spec. Throws `PoolBlocked`. */
export function addressOfSponsor({ address, secretRef }: SponsorSource, read: SponsorValues) {
  if (address !== undefined && addressKind(address) !== 'account') {
    const message = `spec.sponsor.address has ${address}, whose checksum is wrong: copy the address again.`
    throw new PoolBlocked('SponsorAddressInvalid', message)
  }
  if (read.kind === 'signer') {
    if (address !== undefined) return address
    // The definition refuses such a spec.
    throw new PoolBlocked('SponsorAddressInvalid', 'spec.sponsor has no address: set it.')
  }
  const { address: own } = signerFromSecret(read.seed)
  if (address === undefined || address === own) return own
  const message = `spec.sponsor.address is ${address}, but Secret ${secretRef?.name} holds the seed of ${own}: correct one of them.`
  throw new PoolBlocked('SponsorKeyMismatch', message)
}
