import { z } from 'zod'
import { publicPaths } from '../../../platform/core/http-paths.ts'
import type { ServedNetwork } from '../../engine/network/served-network.ts'
import type { HealthMonitor } from '../../health/health-monitor.ts'
import { healthStates } from '../../health/schema.ts'
import { X402_VERSION } from '../../protocol/protocol.ts'
import { servedNames } from '../../schemes/schemes.ts'

export const SERVICE_NAME = 'x402 payment facilitator for Stellar'

/** The statement of the service about itself at `/`. */
export const descriptionSchema = z
  .strictObject({
    name: z.string(),
    version: z.string(),
    x402Version: z.literal(X402_VERSION),
    state: z.enum(healthStates).describe('As `/health` reports it.'),
    networks: z
      .array(
        z
          .strictObject({
            network: z.string().describe('CAIP-2 identifier.'),
            schemes: z.array(z.string()).readonly(),
            requiresApiKey: z
              .boolean()
              .describe('Whether `/verify` and `/settle` need an API key for it.'),
          })
          .readonly(),
      )
      .readonly(),
    links: z.record(z.string(), z.string()).readonly().describe('Paths of this service by name.'),
  })
  .readonly()
export type Description = z.output<typeof descriptionSchema>

export interface DescribedService {
  readonly networks: ReadonlyMap<string, Pick<ServedNetwork, 'id' | 'policy'>>
  /** The networks whose payments need an API key. */
  readonly keyed: ReadonlySet<string>
  readonly health: Pick<HealthMonitor, 'latest'>
}

const { start: _, ...links } = publicPaths

export function description({ networks, keyed, health }: DescribedService): Description {
  const { version, state } = health.latest
  return {
    name: SERVICE_NAME,
    version,
    x402Version: X402_VERSION,
    state,
    networks: [...networks].map(([network, { policy }]) => ({
      network,
      schemes: servedNames(policy),
      requiresApiKey: keyed.has(network),
    })),
    links,
  }
}
