import { SERVICE_NAME } from '../facilitator/start-page/description.ts'
import type { Route } from '../http/route.ts'
import { componentSchemas, refTo } from './components.ts'
import { examplesOf } from './examples.ts'
import { parametersOf, templateOf } from './parameters.ts'
import { responsesOf } from './responses.ts'
import { routes } from './routes.ts'

const description = `Verifies and settles x402 payments on Stellar, finds paid resources, and reports its own status.

A verdict, positive or negative, is HTTP 200. Anything else is an HTTP error with \`error.code\`, \`error.reason\` and
\`error.retryable\`; on \`/verify\` and \`/settle\` it has the members of a verdict as well. A path that does not
exist is a 404 with \`not_found\`, a method that a path does not have a 405 with \`method_not_allowed\` and \`Allow\`.`

/** The routes of the public port as an OpenAPI 3.1 document. */
export function openApiDocument(version: string): object {
  return {
    openapi: '3.1.1',
    info: {
      title: SERVICE_NAME,
      version,
      description,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: [
      { name: 'Facilitator', description: 'The x402 version 2 facilitator interface' },
      {
        name: 'Catalog',
        description: 'Paid resources that listed themselves with their first settled payment',
      },
      { name: 'Operations', description: 'For administrators, and for callers with an API key' },
    ],
    paths: Object.fromEntries(
      routes.map((route) => [templateOf(route.path), { [route.method]: operationObject(route) }]),
    ),
    components: {
      schemas: componentSchemas(routes),
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer' },
        apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
      },
    },
  }
}

function operationObject(route: Route): object {
  const { id, tag, summary, request } = route
  const requestBody = request && {
    required: true,
    content: { 'application/json': { schema: refTo(request), ...examplesOf(`${id} request`) } },
  }
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...parametersOf(route),
    ...(requestBody && { requestBody }),
    security: securityOf(route),
    responses: responsesOf(route),
  }
}

/** Either header is enough. An empty requirement means that the key is optional. */
function securityOf({ apiKey }: Route): object[] {
  if (apiKey === undefined) return []
  const either = [{ bearer: [] }, { apiKey: [] }]
  return apiKey === 'required' ? either : [{}, ...either]
}
