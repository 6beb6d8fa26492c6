import type { FastifyInstance } from 'fastify'
import type { Logger } from '../telemetry/logger.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import { createHttpServer, type HttpServer } from './server.ts'

/** Resolves with an optional detail when all is well; throws with the reason when not. */
export type ReadinessCheck = (signal: AbortSignal) => Promise<string | undefined>

export interface ReadinessResult {
  readonly ready: boolean
  readonly checks: Readonly<Record<string, { readonly ok: boolean; readonly detail?: string }>>
}

/** Shorter than the usual probe timeout of a few seconds, so that the answer names the slow check. */
const CHECK_TIMEOUT_MS = 2_000

export interface AdminServerOptions {
  readonly logger: Logger
  readonly metrics: Metrics
  readonly checks: Readonly<Record<string, ReadinessCheck>>
}

/**
 * What orchestrators ask, on a port that is never routed to the outside: `/livez` says only that
 * the event loop turns, `/readyz` runs the checks, `/metrics` is for the scraper.
 */
export function createAdminServer({ logger, metrics, checks }: AdminServerOptions): HttpServer {
  const server = createHttpServer({ logger })
  const config = { answersWhileDraining: true }
  server.app.get('/livez', { config }, async () => ({ live: true }))
  server.app.get('/readyz', { config }, async (_request, reply) => {
    const result = await runChecks(checks)
    return reply.code(result.ready ? 200 : 503).send(result)
  })
  exposeMetrics(server.app, metrics)
  return server
}

/** Serves `/metrics` on any server. */
export function exposeMetrics(app: FastifyInstance, metrics: Metrics): void {
  app.get('/metrics', { config: { answersWhileDraining: true } }, async (_request, reply) => {
    const { contentType, text } = await metrics.expose()
    return reply.type(contentType).send(text)
  })
}

/** Runs all checks side by side, each for `timeoutMs` at most. Never throws. */
export async function runChecks(
  checks: Readonly<Record<string, ReadinessCheck>>,
  timeoutMs = CHECK_TIMEOUT_MS,
): Promise<ReadinessResult> {
  const results = await Promise.all(
    Object.entries(checks).map(
      async ([name, check]) => [name, await run(check, timeoutMs)] as const,
    ),
  )
  const ready = results.every(([, { ok }]) => ok)
  return { ready, checks: Object.fromEntries(results) }
}

async function run(check: ReadinessCheck, timeoutMs: number) {
  const signal = AbortSignal.timeout(timeoutMs)
  const late = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error(`no answer within ${timeoutMs} ms`)))
  })
  try {
    const detail = await Promise.race([check(signal), late])
    return detail === undefined ? { ok: true } : { ok: true, detail }
  } catch (error) {
    return { ok: false, detail: error instanceof Error ? error.message : String(error) }
  }
}
