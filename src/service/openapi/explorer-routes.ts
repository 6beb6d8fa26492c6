import {
  assetRoute,
  facilitatorRoute,
  facilitatorsRoute,
} from '../../explorer/api/facilitator-routes.ts'
import { ecosystemRoute, statsRoute, timeseriesRoute } from '../../explorer/api/figure-routes.ts'
import { explorerHealthRoute } from '../../explorer/api/health-route.ts'
import { feedRoute, paymentRoute } from '../../explorer/api/payment-routes.ts'
import { explorerRefusal } from '../../explorer/api/refusal.ts'
import { sellerRoute, sellersRoute } from '../../explorer/api/seller-routes.ts'
import { announceRoute } from '../../explorer/registry/announcement/announce-route.ts'
import { metricsRoute } from '../../platform/http/admin.ts'
import { readinessRoute } from '../../platform/http/readiness.ts'
import type { Route } from '../../platform/http/server/route.ts'
import { openApiRoute } from './routes.ts'

/** Routes that both ports have: on the explorer's port they use the explorer's format of refusals. */
const inExplorer = (route: Route): Route => ({ ...route, refusal: explorerRefusal })

export const explorerOpenApiRoute: Route = inExplorer(openApiRoute)

/** Every route of the explorer's port but its pages, in the document's order. */
export const explorerRoutes: readonly Route[] = [
  feedRoute,
  paymentRoute,
  sellersRoute,
  sellerRoute,
  statsRoute,
  ecosystemRoute,
  timeseriesRoute,
  facilitatorsRoute,
  facilitatorRoute,
  assetRoute,
  announceRoute,
  explorerHealthRoute,
  inExplorer(readinessRoute),
  inExplorer(metricsRoute),
  explorerOpenApiRoute,
]
