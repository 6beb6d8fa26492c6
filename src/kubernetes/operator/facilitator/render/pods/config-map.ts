import { canonicalHash } from '../../../../../platform/core/text/canonical-json.ts'
import type { DesiredObject } from '../../../../runtime/objects/resource.ts'
import type { DesiredFacilitator } from '../../desired/desired.ts'
import { metadataOf, nameOf } from '../../spec/child-metadata.ts'
import type { Part } from '../../spec/parts.ts'
import { environmentOf } from './environment.ts'

const SHORT_HASH = 8

/** The name contains a hash of the content: a pod of the previous rollout that restarts finds the previous one. */
export function configMapName(
  part: Part,
  desired: DesiredFacilitator,
): { readonly name: string; readonly hash: string } {
  const hash = canonicalHash(environmentOf(part.name, desired))
  return { name: nameOf(desired.facilitator, suffixOf(part, hash)), hash }
}

const suffixOf = ({ component }: Part, hash: string): string =>
  `${component}-${hash.slice(0, SHORT_HASH)}`

export function configMap(part: Part, desired: DesiredFacilitator): DesiredObject {
  const data = environmentOf(part.name, desired)
  const { component } = part
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: metadataOf(desired.facilitator, {
      suffix: suffixOf(part, canonicalHash(data)),
      component,
    }),
    immutable: true,
    data,
  }
}
