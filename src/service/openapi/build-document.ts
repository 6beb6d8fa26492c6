import type { Route } from '../../platform/http/server/route.ts'
import { componentSchemas, refTo } from './components.ts'
import { type Examples, examplesOf } from './examples.ts'
import { parametersOf, templateOf } from './parameters.ts'
import { responsesOf } from './responses.ts'

/** The interface of one port. */
export interface Described {
  readonly title: string
  readonly description: string
  readonly version: string
  readonly tags: readonly { readonly name: Route['tag']; readonly description: string }[]
  /** In the document's order. */
  readonly routes: readonly Route[]
  readonly examples: Examples
}

const securitySchemes = {
  bearer: { type: 'http', scheme: 'bearer' },
  apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
}

/** The routes of a port as an OpenAPI 3.1 document. */
export function buildDocument(described: Described): object {
  const { title, version, description, tags, routes, examples } = described
  const hasKeys = routes.some(({ apiKey }) => apiKey !== undefined)
  return {
    openapi: '3.1.1',
    info: {
      title,
      version,
      description,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags,
    paths: Object.fromEntries(
      routes.map((route) => [
        templateOf(route.path),
        { [route.method]: operationObject(route, examples) },
      ]),
    ),
    components: { schemas: componentSchemas(routes), ...(hasKeys && { securitySchemes }) },
  }
}

function operationObject(route: Route, examples: Examples): object {
  const { id, tag, summary, request } = route
  const requestBody = request && {
    required: true,
    content: {
      'application/json': { schema: refTo(request), ...examplesOf(examples, `${id} request`) },
    },
  }
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...parametersOf(route),
    ...(requestBody && { requestBody }),
    security: securityOf(route),
    responses: responsesOf(route, examples),
  }
}

/** Either header is enough. An empty requirement means that the key is optional. */
function securityOf({ apiKey }: Route): object[] {
  if (apiKey === undefined) return []
  const either = [{ bearer: [] }, { apiKey: [] }]
  return apiKey === 'required' ? either : [{}, ...either]
}
