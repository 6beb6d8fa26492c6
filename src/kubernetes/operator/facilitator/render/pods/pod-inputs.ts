import { canonicalHash } from '../../../../../platform/core/text/canonical-json.ts'
import { childAnnotations } from '../../../../crd/names/marks.ts'
import type { DesiredObject } from '../../../../runtime/objects/resource.ts'
import type { DesiredFacilitator } from '../../desired/desired.ts'
import { metadataOf } from '../../spec/child-metadata.ts'
import type { Part } from '../../spec/parts.ts'
import { type SecretFile, secretFilesOf, secretId, tokensOf } from '../../spec/secret-files.ts'
import { environmentOf } from './environment.ts'
import type { PodParts } from './pod.ts'

/** The inputs of the pods of a part: computed once, for the Deployment, the preflight and their hashes. */
export interface PodInputs {
  readonly part: Part
  readonly environment: Readonly<Record<string, string>>
  /** Holds the environment. */
  readonly configMap: DesiredObject
  /** Keyed digest of the secrets that pods read only when they start: a change of one rolls the pods. */
  readonly secretHash: string
  /** The members of a pod that follow from these. */
  readonly pod: Pick<
    PodParts,
    'configMap' | 'variables' | 'files' | 'tokens' | 'resources' | 'annotations'
  >
}

const SHORT_HASH = 8

export function podInputs(part: Part, desired: DesiredFacilitator): PodInputs {
  const { facilitator, networks } = desired
  const { name, component, resources } = part
  const pools = networks.map(({ pool }) => pool)
  const files = secretFilesOf(name, facilitator, pools)
  const environment = environmentOf(name, files, desired)
  const configHash = canonicalHash(environment)
  const secretHash = digestOf(files, desired)
  // The name contains a hash of the content: a pod of the previous rollout that restarts finds the previous one.
  const suffix = `${component}-${configHash.slice(0, SHORT_HASH)}`
  const metadata = metadataOf(facilitator, { suffix, component })
  return {
    part,
    environment,
    configMap: {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata,
      immutable: true,
      data: environment,
    },
    secretHash,
    pod: {
      configMap: metadata.name,
      variables: Object.keys(environment),
      files,
      tokens: tokensOf(name, facilitator, pools),
      resources,
      annotations: {
        [childAnnotations.configHash]: configHash,
        [childAnnotations.secretHash]: secretHash,
      },
    },
  }
}

/** With the uid, so that no other Facilitator can show that a Secret of its namespace has the same value. */
const digestOf = (
  files: readonly SecretFile[],
  { facilitator, secrets, digest }: DesiredFacilitator,
): string =>
  digest([
    facilitator.metadata.uid,
    Object.fromEntries(
      files
        .filter(({ rolls }) => rolls)
        .map(({ file, ref }) => [file, secrets.get(secretId(ref)) ?? '']),
    ),
  ])
