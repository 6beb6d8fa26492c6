import { customResourceDefinition } from '../../../src/kubernetes/crd/definitions/crd.ts'
import type { StructuralSchema } from '../../../src/kubernetes/crd/definitions/structural.ts'
import type { KindName } from '../../../src/kubernetes/crd/names/group.ts'

/** The version that the invented next release adds, and stores. */
export const NEXT_VERSION = 'v1'

const later: StructuralSchema = { type: 'string', maxLength: 32, description: 'A later field.' }

/** The definition of an invented next release: one more version, and in every version one more field of spec and status. */
export function nextDefinition(kind: KindName) {
  const present = customResourceDefinition(kind)
  const versions = present.spec.versions.map((version) => ({
    ...version,
    storage: false,
    schema: { openAPIV3Schema: withLater(version.schema.openAPIV3Schema) },
  }))
  const added = versions.slice(-1).map((version) => ({
    ...version,
    name: NEXT_VERSION,
    storage: true,
  }))
  return { ...present, spec: { ...present.spec, versions: [...versions, ...added] } }
}

const withLater = (schema: StructuralSchema): StructuralSchema => ({
  ...schema,
  properties: {
    ...schema.properties,
    ...Object.fromEntries(
      ['spec', 'status'].map((name) => {
        const member = schema.properties?.[name] ?? {}
        return [name, { ...member, properties: { ...member.properties, later } }]
      }),
    ),
  },
})
