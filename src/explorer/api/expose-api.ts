import type { FastifyInstance } from 'fastify'
import { refuseIn } from '../../platform/http/refusals/refuse.ts'
import type { ExplorerReads } from '../reads.ts'
import { exposeFacilitators } from './facilitator-routes.ts'
import { exposeFigures } from './figure-routes.ts'
import { exposeExplorerHealth, type HealthDeps } from './health-route.ts'
import { exposePayments } from './payment-routes.ts'
import { explorerRefusal } from './refusal.ts'
import { exposeSellers } from './seller-routes.ts'

export interface ApiOptions extends Omit<HealthDeps, 'reads'> {
  readonly reads: ExplorerReads
}

/** The analytics interface. All refusals of this server are flat from now on, also those of paths without a route. */
export function exposeExplorerApi(app: FastifyInstance, options: ApiOptions): void {
  const { reads } = options
  refuseIn(app, explorerRefusal)
  exposePayments(app, reads)
  exposeSellers(app, reads)
  exposeFigures(app, reads)
  exposeFacilitators(app, reads)
  exposeExplorerHealth(app, options)
}
