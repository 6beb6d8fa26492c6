import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { networkIds } from '../../platform/core/caip2.ts'
import { explorerPaths } from '../../platform/core/http-paths.ts'
import type { SteadyClock } from '../../platform/core/time/clock.ts'
import { type Route, serveRoute } from '../../platform/http/server/route.ts'
import type { Logger } from '../../platform/telemetry/logs/logger.ts'
import type { ExplorerReads } from '../reads.ts'
import { type IngestEntry, ingestEntrySchema } from '../records.ts'
import { explorerRefusal } from './refusal.ts'

const healthSchema = z.strictObject({
  status: z
    .enum(['ok', 'degraded'])
    .describe('`degraded`: the store does not answer, or a network is not followed'),
  version: z.string(),
  ingest: z.array(ingestEntrySchema),
  lag: z
    .array(
      z.strictObject({
        network: z.enum(networkIds),
        ledgers: z.int().min(0).describe('Closed by the network and not yet written'),
        seconds: z.int().min(0).describe('Since the last ledger that was written closed'),
      }),
    )
    .describe('Of the networks that were reached'),
  reason: z.string().optional().describe('Why it is degraded, one sentence for each cause'),
})
type ExplorerHealth = z.output<typeof healthSchema>

export const explorerHealthRoute: Route = {
  id: 'explorerHealth',
  method: 'get',
  path: explorerPaths.health,
  tag: 'Operations',
  summary: 'Whether the explorer follows its networks; always answered with 200',
  refusal: explorerRefusal,
  isProbe: true,
  isPublicRead: true,
  answers: {
    200: {
      description: 'At most 5 seconds old',
      body: { name: 'ExplorerHealth', schema: healthSchema },
    },
  },
}

export interface HealthDeps {
  readonly reads: Pick<ExplorerReads, 'stats'>
  readonly clock: SteadyClock
  readonly version: string
  readonly log: Pick<Logger, 'warn'>
}

/** A ledger closes every five seconds: more is not a slow poll. */
const MAX_LAG_SECONDS = 60

/** `GET /health`: 200 as long as the process is up, whatever it says. */
export function exposeExplorerHealth(app: FastifyInstance, deps: HealthDeps): void {
  serveRoute(app, explorerHealthRoute, () => explorerHealth(deps))
}

/** Uses the read of `/stats`, so that many requests at the same time cost no query each. */
async function explorerHealth({ reads, clock, version, log }: HealthDeps): Promise<ExplorerHealth> {
  let ingest: readonly IngestEntry[] = []
  let unreadable: string | undefined
  try {
    ingest = (await reads.stats({})).ingest
  } catch (error) {
    log.warn({ err: error }, 'The state of ingest could not be read')
    unreadable = 'The store cannot be read.'
  }
  const lag = ingest.flatMap((entry) => lagOf(entry, clock.now()) ?? [])
  const reasons = [
    ...(unreadable === undefined ? [] : [unreadable]),
    ...ingest.flatMap((entry) => problemOf(entry, clock.now()) ?? []),
  ]
  return {
    status: reasons.length === 0 ? 'ok' : 'degraded',
    version,
    ingest: [...ingest],
    lag,
    ...(reasons.length > 0 && { reason: reasons.join(' ') }),
  }
}

function lagOf(
  { network, lastLedger, headLedger, lastClosedAt }: IngestEntry,
  now: number,
): ExplorerHealth['lag'][number] | undefined {
  if (lastLedger === undefined || headLedger === undefined || lastClosedAt === undefined) return
  return {
    network,
    ledgers: Math.max(0, headLedger - lastLedger),
    seconds: Math.max(0, Math.floor((now - Date.parse(lastClosedAt)) / 1_000)),
  }
}

function problemOf(entry: IngestEntry, now: number): string | undefined {
  const lag = lagOf(entry, now)
  const because = entry.lastError === undefined ? '' : ` (${entry.lastError})`
  if (!lag) return `${entry.network} was not reached yet${because}.`
  if (lag.seconds <= MAX_LAG_SECONDS) return undefined
  return `${entry.network} is ${lag.seconds} s behind${because}.`
}
