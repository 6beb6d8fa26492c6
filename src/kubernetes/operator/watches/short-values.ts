import { sponsorFinalizer } from '../../crd/names/marks.ts'
import { hasFinalizer } from '../../runtime/apply/finalizers.ts'
import { identityOf } from '../../runtime/objects/metadata-only.ts'
import type { KubeObject } from '../../runtime/objects/resource.ts'
import type { Secret } from '../../runtime/objects/well-known.ts'

/** Characters of the names and the base64. Seeds, database URLs, and the digests of a hundred API keys are shorter. */
export const LONGEST_VALUES = 16_384

export const lengthOf = ({ data = {} }: Pick<Secret, 'data'>): number => JSON.stringify(data).length

export const isHeld = (secret: KubeObject): boolean => hasFinalizer(secret, sponsorFinalizer)

/** Leaves out labels, annotations, owners and finalizers, which may have 1 MiB together: of them only the finalizer of a rotation matters. */
export function withFinalizer(secret: KubeObject): KubeObject {
  const identity = identityOf(secret)
  if (!isHeld(secret)) return identity
  return { ...identity, metadata: { ...identity.metadata, finalizers: [sponsorFinalizer] } }
}

/** The same with its data. */
export const withValues = (secret: Secret): Secret => ({
  ...withFinalizer(secret),
  ...(secret.data && { data: secret.data }),
})

/**
 * A `transform` that keeps short data alone: a tenant could fill the operator's memory with labelled Secrets. A Secret with
 * long data is read by name when a resource names it.
 */
export const withShortValues = (secret: Secret): Secret =>
  lengthOf(secret) > LONGEST_VALUES ? withFinalizer(secret) : withValues(secret)
