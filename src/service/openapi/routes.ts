import { listRoute } from '../../catalog/discovery/list-route.ts'
import { listingRoute, versionsRoute } from '../../catalog/discovery/listing-routes.ts'
import { searchRoute } from '../../catalog/discovery/search-route.ts'
import { validateRoute } from '../../catalog/origin/validate-route.ts'
import { settleRoute, supportedRoute, verifyRoute } from '../../payments/api/routes.ts'
import { proofsRoute } from '../../payments/api/signer-proofs.ts'
import { startPageRoute } from '../../payments/api/start-page/route.ts'
import { healthRoute } from '../../payments/health/route.ts'
import { usageRoute } from '../../payments/usage/route.ts'
import { statementRoute } from '../../payments/usage/statement/route.ts'
import { publicPaths } from '../../platform/core/http-paths.ts'
import { metricsRoute } from '../../platform/http/admin.ts'
import { readinessRoute } from '../../platform/http/readiness.ts'
import type { Route } from '../../platform/http/server/route.ts'

export const openApiRoute: Route = {
  id: 'openapi',
  method: 'get',
  path: publicPaths.openapi,
  isPublicRead: true,
  tag: 'Operations',
  summary: 'This document',
  answers: { 200: { description: 'An OpenAPI 3.1 document', body: 'object' } },
}

/** Every route of the public port, in the document's order. */
export const routes: readonly Route[] = [
  supportedRoute,
  proofsRoute,
  verifyRoute,
  settleRoute,
  listRoute,
  listingRoute,
  versionsRoute,
  searchRoute,
  validateRoute,
  usageRoute,
  statementRoute,
  healthRoute,
  readinessRoute,
  metricsRoute,
  openApiRoute,
  startPageRoute,
]
