import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { type Clock, systemClock } from '../core/clock.ts'
import { publicPaths } from '../core/http-paths.ts'
import { type NamedSchema, type Route, serveRoute } from './route.ts'

/** Resolves with an optional detail when all is well; throws with the reason when not. */
export type ReadinessCheck = (signal: AbortSignal) => Promise<string | undefined>
export type ReadinessChecks = Readonly<Record<string, ReadinessCheck>>

const checkSchema = z
  .strictObject({ ok: z.boolean(), detail: z.string().exactOptional() })
  .readonly()
type CheckResult = z.output<typeof checkSchema>

const readinessSchema = z
  .strictObject({
    ready: z.boolean(),
    checks: z
      .record(z.string(), checkSchema)
      .readonly()
      .describe(
        'By name: `database`, `<network>:rpc`, `<network>:sponsor` (detail: balance in stroops), `<network>:channels` (detail: their number).',
      ),
  })
  .readonly()
type ReadinessResult = z.output<typeof readinessSchema>

const readiness: NamedSchema = { name: 'Readiness', schema: readinessSchema }

export const readinessRoute: Route = {
  id: 'ready',
  method: 'get',
  path: publicPaths.ready,
  tag: 'Operations',
  summary: 'Whether every named check passes',
  isProbe: true,
  answers: {
    200: { description: 'All pass', body: readiness },
    503: { description: 'At least one fails', body: readiness },
  },
}

/** Shorter than the usual probe timeout of a few seconds, so that the answer names the slow check. */
const CHECK_TIMEOUT_MS = 2_000

export interface ReadinessOptions {
  /** Whoever asks within this of the last answer gets that one, in milliseconds. @default 0 */
  readonly goodForMs?: number
  readonly clock?: Pick<Clock, 'now'>
}

/** Serves the outcome of the checks: 200 when every one passes, 503 otherwise. */
export function exposeReadiness(
  app: FastifyInstance,
  path: string,
  checks: ReadinessChecks,
  { goodForMs = 0, clock = systemClock }: ReadinessOptions = {},
): void {
  const answer = shared(() => answerOf(checks), goodForMs, clock)
  serveRoute(app, { ...readinessRoute, path }, (_request, reply) =>
    answer().then(({ status, json }) => {
      reply.code(status).type('application/json; charset=utf-8')
      return json
    }),
  )
}

async function answerOf(checks: ReadinessChecks) {
  const result = await runChecks(checks)
  return { status: result.ready ? 200 : 503, json: JSON.stringify(result) }
}

/** Work whose outcome is shared by all who ask while it goes on, and for some time after. */
function shared<T>(
  work: () => Promise<T>,
  goodForMs: number,
  clock: Pick<Clock, 'now'>,
): () => Promise<T> {
  let latest: { readonly outcome: Promise<T>; goodUntil: number } | undefined
  return () => {
    if (goodForMs === 0) return work()
    if (latest && clock.now() < latest.goodUntil) return latest.outcome
    const begun = { outcome: work(), goodUntil: Number.POSITIVE_INFINITY }
    latest = begun
    const end = () => {
      begun.goodUntil = clock.now() + goodForMs
    }
    begun.outcome.then(end, end)
    return begun.outcome
  }
}

/** Runs all checks side by side, each for `timeoutMs` at most. Never throws. */
export async function runChecks(
  checks: ReadinessChecks,
  timeoutMs = CHECK_TIMEOUT_MS,
): Promise<ReadinessResult> {
  const results = await Promise.all(
    Object.entries(checks).map(
      async ([name, check]) => [name, await runCheck(check, timeoutMs)] as const,
    ),
  )
  const ready = results.every(([, { ok }]) => ok)
  return { ready, checks: Object.fromEntries(results) }
}

async function runCheck(check: ReadinessCheck, timeoutMs: number): Promise<CheckResult> {
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
