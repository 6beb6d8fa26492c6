import { z } from 'zod'
import type { NamedSchema } from '../../platform/http/refusals/refusal.ts'
import { errorMemberSchema, errorRefusal } from '../../platform/http/refusals/refusal.ts'
import type { Route } from '../../platform/http/server/route.ts'

export const refTo = ({ name }: NamedSchema) => ({ $ref: `#/components/schemas/${name}` })

/** `components.schemas`: every schema that the routes name. */
export function componentSchemas(routes: readonly Route[]): Record<string, object> {
  const requests = routes.flatMap(({ request }) => request ?? [])
  const answers = routes
    .flatMap(({ answers }) => Object.values(answers))
    .flatMap(({ body }) => (typeof body === 'string' ? [] : body))
  const errorMember = { name: 'ErrorMember', schema: errorMemberSchema }
  const refusals = routes.map(({ refusal = errorRefusal }) => refusal)
  return {
    ...jsonSchemas(requests, 'input'),
    ...jsonSchemas([...answers, errorMember, ...refusals], 'output'),
  }
}

/** @param io which side of the schemas' transforms to describe: `input` is what callers send */
function jsonSchemas(named: readonly NamedSchema[], io: 'input' | 'output') {
  const registry = z.registry<{ id: string }>()
  for (const { name, schema } of withParts(named)) {
    if (!registry.has(schema)) registry.add(schema, { id: name })
  }
  const made = z.toJSONSchema(registry, {
    io,
    uri: (id) => `#/components/schemas/${id}`,
    // zod's `readonly` is about our types; `readOnly` in a document would be about the caller's.
    override: ({ jsonSchema }) => {
      delete jsonSchema.readOnly
    },
  })
  return Object.fromEntries(
    Object.entries(made.schemas).map(([name, schema]) => [name, withoutDialect(schema)]),
  )
}

const withParts = (named: readonly NamedSchema[]): readonly NamedSchema[] =>
  named.flatMap((each) => [each, ...withParts(each.parts ?? [])])

/** The document declares its dialect once, and its component names replace `$id`. */
const withoutDialect = ({ $schema, $id, ...schema }: z.core.JSONSchema.BaseSchema): object => schema
