/** JSON Schema 2020-12 as rows that a person reads. The schema is a stranger's: what is no schema gives no row. */
import { isObject, type JsonObject, memberOf } from './json.ts'

export interface SchemaRow {
  /** The path of a value: `days[].rain`. */
  readonly name: string
  /** `string`, `array of number`, `any`. */
  readonly type: string
  readonly isRequired: boolean
  readonly description?: string
  /** The only values that are allowed, as JSON. */
  readonly allowed: readonly string[]
  /** As JSON. */
  readonly default?: string
}

export interface SchemaRows {
  readonly rows: readonly SchemaRow[]
  /** Whether there are more rows or levels than are shown. */
  readonly isCut: boolean
}

const MAX_ROWS = 60
const MAX_LEVELS = 5
/** A chain of references in a schema may have no end. */
const MAX_REFERENCES = 8
const MAX_ALLOWED = 20

/** The values of an object, or of a list of objects, by the schema of that. @param root where references lead */
export function schemaRows(schema: unknown, root: unknown): SchemaRows {
  const rows: SchemaRow[] = []
  let isCut = false
  const visit = (from: unknown, prefix: string, level: number): void => {
    const at = resolved(from, root)
    const items = itemsOf(at, root)
    const members = memberOf(at, 'properties')
    if (items === undefined && !isObject(members)) return
    if (level >= MAX_LEVELS) {
      isCut = true
      return
    }
    if (items !== undefined) {
      visit(items, `${prefix}[]`, level + 1)
      return
    }
    if (!isObject(members)) return
    const required = memberOf(at, 'required')
    for (const [name, member] of Object.entries(members)) {
      if (rows.length >= MAX_ROWS) {
        isCut = true
        return
      }
      const path = prefix === '' ? name : `${prefix}.${name}`
      const own = resolved(member, root)
      rows.push(rowOf(path, own, root, Array.isArray(required) && required.includes(name)))
      visit(own, path, level + 1)
    }
  }
  visit(schema, '', 0)
  return { rows, isCut }
}

/** The names and types of an example, where a schema says none. */
export function exampleRows(example: unknown): SchemaRows {
  if (!isObject(example)) return { rows: [], isCut: false }
  const members = Object.entries(example)
  return {
    rows: members.slice(0, MAX_ROWS).map(([name, value]) => ({
      ...{ name, type: typeOfValue(value), isRequired: false, allowed: [] },
    })),
    isCut: members.length > MAX_ROWS,
  }
}

function rowOf(name: string, schema: unknown, root: unknown, isRequired: boolean): SchemaRow {
  const description = memberOf(schema, 'description') ?? memberOf(schema, 'title')
  const given = memberOf(schema, 'default')
  const only = memberOf(schema, 'const')
  const choices = memberOf(schema, 'enum')
  const allowed = only !== undefined ? [only] : Array.isArray(choices) ? choices : []
  return {
    name,
    type: typeOf(schema, root),
    isRequired,
    ...(typeof description === 'string' && { description }),
    allowed: allowed.slice(0, MAX_ALLOWED).map((value) => JSON.stringify(value)),
    ...(given !== undefined && { default: JSON.stringify(given) }),
  }
}

function typeOf(schema: unknown, root: unknown): string {
  const items = itemsOf(schema, root)
  if (items !== undefined) return `array of ${plainType(resolved(items, root))}`
  return plainType(schema)
}

function plainType(schema: unknown): string {
  const type = memberOf(schema, 'type')
  const format = memberOf(schema, 'format')
  const names = Array.isArray(type) ? type.filter((each) => typeof each === 'string') : [type]
  const name = names.every((each) => typeof each === 'string') ? names.join(' or ') : ''
  const known = name || (isObject(memberOf(schema, 'properties')) ? 'object' : 'any')
  return typeof format === 'string' ? `${known}, ${format}` : known
}

const typeOfValue = (value: unknown): string =>
  Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value

function itemsOf(schema: unknown, root: unknown): unknown {
  const at = resolved(schema, root)
  const items = memberOf(at, 'items')
  return isObject(items) ? items : undefined
}

/** The schema that a reference within the document leads to. */
function resolved(schema: unknown, root: unknown): unknown {
  let at = schema
  for (let steps = 0; steps < MAX_REFERENCES; steps += 1) {
    const reference: unknown = memberOf(at, '$ref')
    if (typeof reference !== 'string' || !reference.startsWith('#/')) return at
    const path = reference.slice(2).split('/').map(unescaped)
    const found = memberOf(root, ...path)
    if (found === undefined) return at
    // Members beside a reference add to what it leads to.
    const { $ref: _reference, ...beside } = at as JsonObject
    at = isObject(found) ? { ...found, ...beside } : found
  }
  return undefined
}

/** RFC 6901. */
const unescaped = (segment: string): string => segment.replaceAll('~1', '/').replaceAll('~0', '~')
