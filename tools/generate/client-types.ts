import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'

/* The types of `stellar-x402/client`, as the OpenAPI documents describe them: readable declarations and no more. */

/** A JSON schema as zod writes it. */
interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: false | Schema
  readonly description?: string
}

interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query'
  readonly required: boolean
  readonly description: string
  readonly schema: Schema
}

interface Media {
  readonly content?: { readonly 'application/json'?: { readonly schema: Schema } }
}

interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: Media
  readonly responses: Readonly<Record<string, Media>>
}

type Schemas = Readonly<Record<string, Schema>>

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Schemas }
}

interface Declared {
  /** The interface that lists the operations. */
  readonly name: string
  /** By `operationId`. */
  readonly operations: readonly string[]
  /** Schemas that the client needs beside those of the operations. */
  readonly also?: readonly string[]
}

/** A module of declarations: the schemas that the operations need, and an interface of the operations by path. */
export function clientTypes(document: object, { name, operations, also = [] }: Declared): string {
  const { paths, components } = document as Document
  const chosen = Object.entries(paths).flatMap(([path, item]) =>
    Object.values(item)
      .filter(({ operationId }) => operations.includes(operationId))
      .map((operation) => ({ path, operation })),
  )
  const reads = chosen.map(({ path, operation }) => readOf(path, operation))
  const queries = chosen.flatMap(({ path, operation }) => queryOf(path, operation))
  const roots = chosen.flatMap(({ operation }) => [answerOf(operation), bodyOf(operation) ?? []])
  const names = reachable(components.schemas, [...roots.flat().map(refName), ...also])
  const schemas = names.map((each) => declared(each, components.schemas, names))
  return formatted(
    [
      '/* Made from the OpenAPI document by `make generate`; `make check` fails when it is out of date. */',
      ...schemas,
      ...queries,
      `/** What can be read, by path. */\nexport interface ${name} {\n${reads.join('\n')}\n}`,
    ].join('\n\n'),
  )
}

function readOf(path: string, operation: Operation): string {
  const hasQuery = operation.parameters?.some((each) => each.in === 'query')
  const body = bodyOf(operation)
  const members = [
    `readonly answer: ${typeOf(answerOf(operation))}`,
    ...(hasQuery ? [`readonly query: ${queryName(operation)}`] : []),
    ...(body ? [`readonly body: ${typeOf(body)}`] : []),
  ]
  return `${comment(operation.summary)}readonly '${path}': { ${members.join('; ')} }`
}

function queryOf(path: string, operation: Operation): readonly string[] {
  const parameters = operation.parameters?.filter((each) => each.in === 'query') ?? []
  if (parameters.length === 0) return []
  const members = parameters.map(
    ({ name, required, description, schema }) =>
      `${comment(description)}readonly ${name}${required ? '' : '?'}: ${typeOf(schema)}${required ? '' : ' | undefined'}`,
  )
  return [
    `/** Parameters of \`${path}\`. */\nexport interface ${queryName(operation)} {\n${members.join('\n')}\n}`,
  ]
}

const queryName = ({ operationId }: Operation): string =>
  `${operationId.charAt(0).toUpperCase()}${operationId.slice(1)}Query`

function answerOf({ operationId, responses }: Operation): Schema {
  const schema = responses['200']?.content?.['application/json']?.schema
  if (!schema?.$ref) throw new Error(`${operationId} answers with no named schema`)
  return schema
}

const bodyOf = ({ requestBody }: Operation): Schema | undefined =>
  requestBody?.content?.['application/json']?.schema

function declared(name: string, schemas: Schemas, declarable: readonly string[]): string {
  const { description, ...schema } = schemas[name] ?? {}
  const { properties } = schema
  if (!properties) return `${comment(description)}export type ${name} = ${typeOf(schema)}`
  const base = declarable.find((each) => each !== name && isExtended(schemas[each], schema))
  const inherited = base === undefined ? {} : (schemas[base]?.properties ?? {})
  const own = Object.entries(properties).filter(([member]) => !(member in inherited))
  const type = objectType({ ...schema, properties: Object.fromEntries(own) })
  return `${comment(description)}export interface ${name} ${base ? `extends ${base} ` : ''}${type}`
}

/** Whether the second has all members of the first, and more. */
function isExtended(base: Schema | undefined, { properties = {}, required = [] }: Schema): boolean {
  const members = Object.entries(base?.properties ?? {})
  return (
    members.length > 0 &&
    members.length < Object.keys(properties).length &&
    members.every(
      ([member, schema]) =>
        JSON.stringify(properties[member]) === JSON.stringify(schema) &&
        required.includes(member) === Boolean(base?.required?.includes(member)),
    )
  )
}

const refName = ({ $ref = '' }: Schema): string => $ref.replace(/^.*\//, '')

/** Schemas by name, those of the roots and all that they refer to, in the document's order. */
function reachable(schemas: Schemas, roots: readonly string[]): string[] {
  const found = new Set(roots)
  for (const name of found) {
    const text = JSON.stringify(schemas[name])
    for (const [, inner = ''] of text.matchAll(/"#\/components\/schemas\/(\w+)"/g)) found.add(inner)
  }
  return Object.keys(schemas).filter((name) => found.has(name))
}

function typeOf(schema: Schema): string {
  if (schema.$ref) return refName(schema)
  if (schema.const !== undefined) return literal(schema.const)
  if (schema.enum?.join() === 'true,false') return 'boolean'
  if (schema.enum) return schema.enum.map(literal).join(' | ')
  if (schema.anyOf) return schema.anyOf.map(typeOf).join(' | ')
  if (typeof schema.type === 'object')
    return schema.type.map((type) => typeOf({ ...schema, type })).join(' | ')
  switch (schema.type) {
    case 'array':
      return `readonly ${parenthesised(typeOf(schema.items ?? {}))}[]`
    case 'object':
      return objectType(schema)
    case 'integer':
      return 'number'
    case undefined:
      return 'unknown'
    default:
      return schema.type
  }
}

function objectType({ properties, required = [], additionalProperties }: Schema): string {
  const rest = additionalProperties || {}
  if (!properties) return `Readonly<Record<string, ${typeOf(rest)}>>`
  const members = Object.entries(properties).map(
    ([name, member]) =>
      `${comment(member.description)}readonly ${JSON.stringify(name)}${required.includes(name) ? '' : '?'}: ${typeOf(member)}`,
  )
  const more = additionalProperties ? ['readonly [name: string]: unknown'] : []
  const all = [...members, ...more]
  // An object whose members need no comment stands on one line where it fits.
  return all.join().includes('/**') ? `{\n${all.join('\n')}\n}` : `{ ${all.join('; ')} }`
}

const literal = (value: unknown): string => JSON.stringify(value)

const parenthesised = (type: string): string => (/[|&]/.test(type) ? `(${type})` : type)

const comment = (description: string | undefined): string =>
  description === undefined ? '' : `/** ${description} */\n`

const biome = createRequire(import.meta.url).resolve('@biomejs/biome/bin/biome')

function formatted(code: string): string {
  const args = [biome, 'format', '--stdin-file-path=generated.ts']
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: new URL('../..', import.meta.url),
    input: code,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`biome cannot format it: ${stderr}\n${code}`)
  return stdout
}
