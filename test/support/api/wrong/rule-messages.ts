import { customResourceDefinition } from '../../../../src/kubernetes/crd/definitions/crd.ts'
import type { StructuralSchema } from '../../../../src/kubernetes/crd/definitions/structural.ts'
import type { CelRule } from '../../../../src/kubernetes/crd/fields/cel.ts'
import type { KindName } from '../../../../src/kubernetes/crd/names/group.ts'

/** A rule, with the path that the API server names when it fails; `[]` stands for an item and a member. */
export interface PlacedRule {
  readonly at: string
  readonly message: string
}

/** All rules about what users write. */
export function rulesOf(kind: KindName): readonly PlacedRule[] {
  const root = customResourceDefinition(kind).spec.versions[0]?.schema.openAPIV3Schema
  if (!root) throw new Error(`${kind} has no schema`)
  const { status: _, ...properties } = root.properties ?? {}
  return placed({ ...root, properties }, '')
}

function placed(schema: StructuralSchema, at: string): PlacedRule[] {
  const rules = schema['x-kubernetes-validations'] as readonly CelRule[] | undefined
  const { properties = {}, items, additionalProperties } = schema
  return [
    ...(rules ?? []).map(({ message, fieldPath = '' }) => ({
      at: `${at}${fieldPath}`.replace(/^[.]/, ''),
      message,
    })),
    ...Object.entries(properties).flatMap(([name, inner]) => placed(inner, `${at}.${name}`)),
    ...(items ? placed(items, `${at}[]`) : []),
    ...(additionalProperties ? placed(additionalProperties, `${at}[]`) : []),
  ]
}

const messages = new Set(
  (['Facilitator', 'ChannelPool'] as const).flatMap((kind) =>
    rulesOf(kind).map(({ message }) => message),
  ),
)

/** Whether a refusal of the API server has the message of a rule. */
export const isRuleMessage = (text: string): boolean =>
  [...messages].some((message) => text.includes(message))
