import { SERVICE_NAME } from '../../payments/api/start-page/description.ts'
import { buildDocument } from './build-document.ts'
import { explorerExamples } from './examples.ts'
import { explorerRoutes } from './explorer-routes.ts'

const description = `Every x402 payment on the networks that this explorer reads: a feed, sellers, facilitators and figures.

Everything may be read without a key, from pages of every origin. A refusal has the members \`code\`, \`reason\`,
\`retryable\` and, of a bad parameter, \`details\` with \`parameter\` and \`value\`. A path that does not exist is a 404 with
\`explorer_not_found\`, a method that a path does not have a 405 with \`method_not_allowed\` and \`Allow\`.

Amounts are whole numbers of the asset's base units, as text; \`amountDecimal\` and \`totalDecimal\` are the same amounts in
units of the asset, or in base units while the decimals of the asset are not known. Trailing windows begin at a full hour.
An address on two networks counts once for each network.`

/** The routes of the explorer's port as an OpenAPI 3.1 document. */
export const explorerDocument = (version: string): object =>
  buildDocument({
    title: `${SERVICE_NAME}: explorer`,
    description,
    version,
    tags: [
      { name: 'Explorer', description: 'The analytics interface' },
      { name: 'Operations', description: 'For administrators' },
    ],
    routes: explorerRoutes,
    examples: explorerExamples,
  })
