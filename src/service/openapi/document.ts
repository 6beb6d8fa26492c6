import { SERVICE_NAME } from '../../payments/api/start-page/description.ts'
import { identifierConflict } from '../../payments/protocol/reasons.ts'
import { buildDocument } from './build-document.ts'
import { serviceExamples } from './examples.ts'
import { routes } from './routes.ts'

const description = `Verifies and settles x402 payments on Stellar, finds paid resources, and reports its own status.

A verdict, positive or negative, is HTTP 200, or 409 with \`${identifierConflict}\`. Anything else is an HTTP error with
\`error.code\`, \`error.reason\` and \`error.retryable\`; on \`/verify\` and \`/settle\` it has the members of a verdict as well. A path that does not
exist is a 404 with \`not_found\`, a method that a path does not have a 405 with \`method_not_allowed\` and \`Allow\`.`

/** The routes of the public port as an OpenAPI 3.1 document. */
export const openApiDocument = (version: string): object =>
  buildDocument({
    title: SERVICE_NAME,
    description,
    version,
    tags: [
      { name: 'Facilitator', description: 'The x402 version 2 facilitator interface' },
      {
        name: 'Catalog',
        description: 'Paid resources that listed themselves with their first settled payment',
      },
      { name: 'Operations', description: 'For administrators, and for callers with an API key' },
    ],
    routes,
    examples: serviceExamples,
  })
