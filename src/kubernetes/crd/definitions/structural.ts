import { z } from 'zod'

/** A node of a structural schema, as `apiextensions.k8s.io/v1` takes it. */
export interface StructuralSchema {
  readonly [keyword: string]: unknown
  readonly type?: string
  readonly description?: string
  readonly properties?: Readonly<Record<string, StructuralSchema>>
  readonly required?: readonly string[]
  readonly items?: StructuralSchema
  readonly additionalProperties?: StructuralSchema
}

type Node = Readonly<Record<string, unknown>>

/** On an object that may have members that the schema does not describe. */
const PRESERVE_UNKNOWN = 'x-kubernetes-preserve-unknown-fields'

/** The supported keywords; the API server would silently drop others. */
const keywords = new Set([
  'additionalProperties',
  'default',
  'description',
  'enum',
  'format',
  'items',
  'maxItems',
  'maxLength',
  'maxProperties',
  'maximum',
  'minItems',
  'minLength',
  'minimum',
  'nullable',
  'pattern',
  'properties',
  'required',
  'type',
  'x-kubernetes-int-or-string',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-list-type',
  'x-kubernetes-map-type',
  PRESERVE_UNKNOWN,
  'x-kubernetes-validations',
])

/**
 * The schema of a zod type for the API server. Fields with a default are optional. Throws a TypeError for a
 * type that structural schemas cannot express, such as a union of objects: use optional fields with a rule.
 */
export function structuralSchema(type: z.ZodType): StructuralSchema {
  const schema = z.toJSONSchema(type, { target: 'openapi-3.0', io: 'input', reused: 'inline' })
  return convert(schema, '')
}

function convert(node: Node, path: string): StructuralSchema {
  const { properties, items, additionalProperties, anyOf, ...rest } = node
  const own = anyOf === undefined ? rest : { ...rest, ...intOrString(anyOf, path) }
  const converted = {
    ...bounded(own),
    ...(isNode(properties) &&
      !(rest[PRESERVE_UNKNOWN] && Object.keys(properties).length === 0) && {
        properties: convertEach(properties, path),
      }),
    ...(isNode(items) && { items: convert(items, `${path}[]`) }),
    ...(isNode(additionalProperties) &&
      !rest[PRESERVE_UNKNOWN] && {
        additionalProperties: convert(additionalProperties, `${path}{}`),
      }),
  }
  return withWholeDefault(known(converted, path))
}

function known(converted: Node, path: string): StructuralSchema {
  const unknown = Object.keys(converted).find((keyword) => !keywords.has(keyword))
  if (unknown !== undefined)
    throw new TypeError(`${path} has ${unknown}, which a CRD cannot express`)
  return converted
}

/** The API server validates a default before it fills in the nested defaults: they have to be written out. */
function withWholeDefault(schema: StructuralSchema): StructuralSchema {
  if (!isNode(schema['default'])) return schema
  const inner = Object.entries(schema.properties ?? {}).flatMap(([name, field]) =>
    field['default'] === undefined ? [] : [[name, field['default']]],
  )
  return { ...schema, default: { ...Object.fromEntries(inner), ...schema['default'] } }
}

const convertEach = (properties: Node, path: string): Record<string, StructuralSchema> =>
  Object.fromEntries(
    Object.entries(properties).map(([name, property]) => {
      if (!isNode(property)) throw new TypeError(`${path}.${name} is not a schema`)
      return [name, convert(property, `${path}.${name}`)]
    }),
  )

/** The only union of structural schemas, with the bounds of its text. */
function intOrString(branches: unknown, path: string): Node {
  const nodes = Array.isArray(branches) ? branches.filter(isNode) : []
  const text = nodes.find(({ type }) => type === 'string')
  if (nodes.length !== 2 || !text || !nodes.some(({ type }) => type === 'integer')) {
    throw new TypeError(`${path} is a union, which a CRD cannot express`)
  }
  const { type, ...bounds } = text
  return { ...bounds, 'x-kubernetes-int-or-string': true }
}

/** zod adds the bounds of safe JavaScript integers, which are no bounds of the field. */
function bounded({ minimum, maximum, ...rest }: Node): Node {
  const bounds = {
    ...(minimum !== Number.MIN_SAFE_INTEGER && minimum !== undefined && { minimum }),
    ...(maximum !== Number.MAX_SAFE_INTEGER && maximum !== undefined && { maximum }),
  }
  if (rest['type'] !== 'integer') return { ...rest, ...bounds }
  const isSmall = typeof maximum === 'number' && maximum <= 2_147_483_647
  return { ...rest, ...bounds, format: isSmall ? 'int32' : 'int64' }
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
