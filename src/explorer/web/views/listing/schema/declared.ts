import type { Bazaar } from '../../../../../buying/client/catalog-types.ts'
import { isObject, memberOf } from './json.ts'
import { exampleRows, type SchemaRow, schemaRows } from './schema-rows.ts'

/** A value that a call takes or gives, and where it stands. */
export interface DeclaredRow extends SchemaRow {
  /** `query`, `body`, `argument`; undefined in an answer. */
  readonly place?: string
}

export interface Declared {
  readonly rows: readonly DeclaredRow[]
  readonly isCut: boolean
}

/** The parts of an HTTP call that a declaration may describe, by their names in it. */
const places = {
  pathParams: 'path',
  queryParams: 'query',
  headers: 'header',
  cookies: 'cookie',
  body: 'body',
} as const

/** The inputs of a call: of a tool its arguments, of an HTTP call the parts of its request. */
export function declaredInputs({ info, schema }: Bazaar): Declared {
  const input = memberOf(info, 'input')
  if (memberOf(input, 'type') === 'mcp') {
    const own = memberOf(input, 'inputSchema')
    return placed('argument', schemaRows(own, own))
  }
  const declared = memberOf(schema, 'properties', 'input', 'properties')
  const parts = Object.entries(places).map(([name, place]) => {
    const found = schemaRows(memberOf(declared, name), schema)
    return placed(place, found.rows.length > 0 ? found : exampleRows(memberOf(input, name)))
  })
  return { rows: parts.flatMap(({ rows }) => rows), isCut: parts.some(({ isCut }) => isCut) }
}

/** What the answer holds. */
export function declaredOutputs({ info, schema }: Bazaar): Declared {
  const output = memberOf(schema, 'properties', 'output')
  // The stock declaration describes the answer under the member that holds its example.
  const ofExample = schemaRows(memberOf(output, 'properties', 'example'), schema)
  if (ofExample.rows.length > 0) return ofExample
  return exampleRows(memberOf(info, 'output', 'example'))
}

/** The example of an answer; undefined without one. */
export const exampleAnswer = ({ info }: Bazaar): unknown => memberOf(info, 'output', 'example')

/** The input of a call, as its declaration has it. */
export const inputOf = ({ info }: Bazaar): Readonly<Record<string, unknown>> => {
  const input = memberOf(info, 'input')
  return isObject(input) ? input : {}
}

const placed = (place: string, { rows, isCut }: Declared): Declared => ({
  rows: rows.map((row) => ({ ...row, place })),
  isCut,
})
