import type { StructuralSchema } from '../../../src/kubernetes/crd/definitions/structural.ts'
import { canonicalJson } from '../../../src/platform/core/text/canonical-json.ts'

/** The properties of one field that clients depend on. */
export interface FieldShape {
  readonly type: string
  readonly required?: true
  readonly default?: unknown
  readonly enum?: readonly unknown[]
  readonly pattern?: string
  /** Upper and lower bounds by keyword. */
  readonly bounds?: Readonly<Record<string, number>>
  /** Expressions of the rules. */
  readonly rules?: readonly string[]
  /** How writers share a list or an object; a change loses who owns what. */
  readonly sharing?: string
  /** Whether members that the schema does not have are kept. */
  readonly keepsUnknown?: true
}

/** By path, such as `spec.networks[].channelPool`. */
export type SchemaShape = Readonly<Record<string, FieldShape>>

const upper = ['maximum', 'maxLength', 'maxItems', 'maxProperties']
const lower = ['minimum', 'minLength', 'minItems']

/** A schema without descriptions: what must not change, so that existing objects stay valid. */
export function shapeOf(schema: StructuralSchema, path = '', required = false): SchemaShape {
  const needed = new Set(schema.required)
  const inner = Object.entries(schema.properties ?? {}).map(([name, field]) =>
    shapeOf(field, path === '' ? name : `${path}.${name}`, needed.has(name)),
  )
  return Object.assign(
    { [path === '' ? '.' : path]: fieldShape(schema, required) },
    ...inner,
    schema.items && shapeOf(schema.items, `${path}[]`),
    schema.additionalProperties && shapeOf(schema.additionalProperties, `${path}{}`),
  )
}

function fieldShape(schema: StructuralSchema, required: boolean): FieldShape {
  const bounds = Object.fromEntries(
    [...upper, ...lower].flatMap((word) => {
      const value = schema[word]
      return typeof value === 'number' ? [[word, value]] : []
    }),
  )
  const rules = schema['x-kubernetes-validations']
  const { default: fallback, enum: choices, pattern } = schema
  const sharing = ['list-type', 'list-map-keys', 'map-type']
    .flatMap((word) => schema[`x-kubernetes-${word}`] ?? [])
    .join(' ')
  return {
    type: schema['x-kubernetes-int-or-string'] ? 'int-or-string' : (schema.type ?? ''),
    ...(required && { required }),
    ...(fallback !== undefined && { default: fallback }),
    ...(Array.isArray(choices) && { enum: choices }),
    ...(typeof pattern === 'string' && { pattern }),
    ...(Object.keys(bounds).length > 0 && { bounds }),
    ...(sharing !== '' && { sharing }),
    ...(schema['x-kubernetes-preserve-unknown-fields'] === true && { keepsUnknown: true as const }),
    ...(Array.isArray(rules) && { rules: rules.map(({ rule }: { rule: string }) => rule) }),
  }
}

/** Changes that can break valid objects or the programs that write them; empty when there is none. */
export const breakingChanges = (before: SchemaShape, after: SchemaShape): readonly string[] => [
  ...Object.entries(before).flatMap(([path, old]) => {
    const now = after[path]
    return now ? narrowings(old, now).map((what) => `${path} ${what}`) : [`${path} was removed`]
  }),
  ...Object.entries(after).flatMap(([path, now]) => {
    const parentIsOld = before[path.replace(/(\.[^.]*|\[\]|\{\})$/, '')] !== undefined
    return now.required && before[path] === undefined && parentIsOld
      ? [`${path} is new and required`]
      : []
  }),
]

function narrowings(old: FieldShape, now: FieldShape): string[] {
  const missing = (old.enum ?? []).filter((choice) => now.enum && !now.enum.includes(choice))
  const newRules = (now.rules ?? []).filter((rule) => !old.rules?.includes(rule))
  const checks: readonly (readonly [boolean, string])[] = [
    [old.type !== now.type, `became ${now.type}`],
    [!old.required && now.required === true, 'became required'],
    [canonicalJson(old.default) !== canonicalJson(now.default), 'has another default'],
    [missing.length > 0 || (!old.enum && now.enum !== undefined), `lost choices ${missing.join()}`],
    [old.pattern !== now.pattern && now.pattern !== undefined, 'has another pattern'],
    [old.sharing !== now.sharing, `is shared by writers in another way: ${now.sharing}`],
    [old.keepsUnknown === true && !now.keepsUnknown, 'no longer keeps unknown members'],
    [newRules.length > 0, `has a new rule ${newRules.join()}`],
    ...upper.map(
      (word) =>
        [
          (bound(now, word) ?? Infinity) < (bound(old, word) ?? Infinity),
          `has a lower ${word}`,
        ] as const,
    ),
    ...lower.map(
      (word) =>
        [
          (bound(now, word) ?? -Infinity) > (bound(old, word) ?? -Infinity),
          `has a higher ${word}`,
        ] as const,
    ),
  ]
  return checks.flatMap(([isSo, what]) => (isSo ? [what] : []))
}

const bound = ({ bounds }: FieldShape, word: string): number | undefined => bounds?.[word]
