import { z } from 'zod'
import type { Parameter, Parameters } from '../../platform/http/server/query.ts'
import type { Route } from '../../platform/http/server/route.ts'

/** A path as OpenAPI writes it: `/items/{id}` for `/items/:id`. */
export const templateOf = (path: string): string => path.replace(/:(\w+)/g, '{$1}')

/** The member `parameters` of an operation, or nothing. */
export function parametersOf({ pathParameters = {}, query = {} }: Route): {
  parameters?: readonly object[]
} {
  const parameters = [...described('path', pathParameters), ...described('query', query)]
  return parameters.length === 0 ? {} : { parameters }
}

const described = (place: 'path' | 'query', parameters: Parameters): object[] =>
  Object.entries(parameters).map(([name, parameter]) => ({
    name,
    in: place,
    required: place === 'path' || parameter.isRequired === true,
    description: sentence(parameter.rule),
    ...(parameter.reads === 'list' && { style: 'form', explode: false }),
    schema: schemaOf(parameter),
  }))

const sentence = (rule: string): string => `${rule.charAt(0).toUpperCase()}${rule.slice(1)}.`

function schemaOf({ schema }: Parameter): object {
  const { $schema, ...described } = z.toJSONSchema(schema, { io: 'input' })
  return described
}
