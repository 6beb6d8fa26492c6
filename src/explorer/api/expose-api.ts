import type { FastifyInstance } from 'fastify'
import { refuseIn } from '../../platform/http/refusals/refuse.ts'
import type { ExplorerReads } from '../reads.ts'
import { SAME_URL_MS, SHARED_URLS, SharedAnswers } from '../shared-answers.ts'
import { exposeFacilitators } from './facilitator-routes.ts'
import { exposeFigures } from './figure-routes.ts'
import { exposeExplorerHealth, type HealthDeps } from './health-route.ts'
import { exposePayments } from './payment-routes.ts'
import { explorerRefusal } from './refusal.ts'
import { exposeSellers } from './seller-routes.ts'

export interface ApiOptions extends Omit<HealthDeps, 'reads'> {
  readonly reads: ExplorerReads
  /** How long an answer is given again to who asks for the same URL. @default `SAME_URL_MS` */
  readonly sameUrlMs?: number
}

/** The analytics interface. All refusals of this server are flat from now on, also those of paths without a route. */
export function exposeExplorerApi(app: FastifyInstance, options: ApiOptions): void {
  const { reads, clock, sameUrlMs = SAME_URL_MS } = options
  const server = { app, answers: new SharedAnswers(clock, SHARED_URLS), sameUrlMs }
  refuseIn(app, explorerRefusal)
  exposePayments(server, reads)
  exposeSellers(server, reads)
  exposeFigures(server, reads)
  exposeFacilitators(server, reads)
  exposeExplorerHealth(app, options)
}
