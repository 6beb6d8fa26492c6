import { canonicalHash } from '../../../core/canonical-json.ts'
import type { DesiredObject } from '../../../kube/resource.ts'
import { environmentOf } from '../environment.ts'
import type { Part } from '../parts.ts'
import type { Wanted } from '../wanted.ts'
import { metadataOf, nameOf } from './common.ts'

const SHORT_HASH = 8

/** The name of a part's ConfigMap follows its content: pods of an old kind that start again find the old one. */
export function configMapName(
  part: Part,
  wanted: Wanted,
): { readonly name: string; readonly hash: string } {
  const hash = canonicalHash(environmentOf(part.name, wanted))
  return { name: nameOf(wanted.facilitator, suffixOf(part, hash)), hash }
}

const suffixOf = ({ component }: Part, hash: string): string =>
  `${component}-${hash.slice(0, SHORT_HASH)}`

/** The environment of a part's pods. */
export function configMap(part: Part, wanted: Wanted): DesiredObject {
  const data = environmentOf(part.name, wanted)
  const { component } = part
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: metadataOf(wanted.facilitator, {
      suffix: suffixOf(part, canonicalHash(data)),
      component,
    }),
    immutable: true,
    data,
  }
}
