import type { FastifyInstance } from 'fastify'
import type { ServeConfig } from '../config/serve.ts'
import type { Clock } from '../core/clock.ts'
import type { ReadinessCheck } from '../http/readiness.ts'
import type { Store } from '../store/open.ts'
import type { Logger } from '../telemetry/logger.ts'
import type { Metrics } from '../telemetry/metrics.ts'

export interface FacilitatorParts {
  readonly config: ServeConfig
  /** Open, with its schema up to date. Outlives the facilitator. */
  readonly store: Store
  readonly logger: Logger
  readonly metrics: Metrics
  readonly clock: Clock
  /** Aborts when the process is asked to stop while it still starts; of no meaning afterwards. */
  readonly starting: AbortSignal
}

/** The facilitator as the process holds it; disposing it ends its background work. */
export interface Facilitator extends AsyncDisposable {
  /** Declares its routes; called once, before the server listens. */
  readonly routes: (app: FastifyInstance) => void
  /** What `/ready` says of each network: `<network>:rpc`, `:sponsor` and `:channels`. */
  readonly checks: Readonly<Record<string, ReadinessCheck>>
}

/** Wires the facilitator's rooms together and resolves once it can take payments. */
export async function openFacilitator(_parts: FacilitatorParts): Promise<Facilitator> {
  return { routes: () => {}, checks: {}, [Symbol.asyncDispose]: async () => {} }
}
