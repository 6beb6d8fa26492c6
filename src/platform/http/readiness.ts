import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { publicPaths } from '../core/http-paths.ts'
import { messageOf } from '../core/text/error-message.ts'
import { type Clock, systemClock } from '../core/time/clock.ts'
import { withTimeLimit } from '../core/time/time-limit.ts'
import type { NamedSchema } from './refusals/refusal.ts'
import { type Route, type ServedRoute, serveRoute } from './server/route.ts'

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
  isPublicRead: true,
  answers: {
    200: { description: 'All pass', body: readiness },
    503: { description: 'At least one fails', body: readiness },
  },
}

/** Shorter than the usual probe timeout of a few seconds, so that the answer names the slow check. */
const CHECK_TIMEOUT_MS = 2_000

export interface ReadinessOptions {
  /** An answer is given again for this long, in milliseconds. @default 0 */
  readonly cacheMs?: number
  readonly clock?: Clock
}

/** Serves the outcome of the checks: 200 when every one passes, 503 otherwise. */
export function exposeReadiness(
  app: FastifyInstance,
  route: ServedRoute,
  checks: ReadinessChecks,
  { cacheMs = 0, clock = systemClock }: ReadinessOptions = {},
): void {
  const answer = cached(() => answerOf(checks, clock), cacheMs, clock)
  serveRoute(app, route, (_request, reply) => {
    const send = ({ status, json }: Answer) => {
      reply.code(status).type('application/json; charset=utf-8')
      return json
    }
    const known = answer()
    // A promise would cost each of many probes a fifth of its time.
    return known instanceof Promise ? known.then(send) : send(known)
  })
}

interface Answer {
  readonly status: number
  readonly json: string
}

async function answerOf(checks: ReadinessChecks, clock: Clock): Promise<Answer> {
  const result = await runChecks(checks, { clock })
  return { status: result.ready ? 200 : 503, json: JSON.stringify(result) }
}

/** Calls made while `work` runs get its promise; those within `cacheMs` after it get its result itself. */
function cached<T>(work: () => Promise<T>, cacheMs: number, clock: Clock): () => T | Promise<T> {
  let running: Promise<T> | undefined
  let latest: { readonly result: T; readonly goodUntil: number } | undefined
  const run = async () => {
    try {
      const result = await work()
      latest = { result, goodUntil: clock.now() + cacheMs }
      return result
    } finally {
      running = undefined
    }
  }
  return () => {
    if (cacheMs === 0) return work()
    if (latest && clock.now() < latest.goodUntil) return latest.result
    running ??= run()
    return running
  }
}

/** Runs all checks side by side, each for `timeoutMs` at most. Never throws. */
export async function runChecks(
  checks: ReadinessChecks,
  { timeoutMs = CHECK_TIMEOUT_MS, clock = systemClock }: { timeoutMs?: number; clock?: Clock } = {},
): Promise<ReadinessResult> {
  const results = await Promise.all(
    Object.entries(checks).map(
      async ([name, check]) => [name, await runCheck(check, timeoutMs, clock)] as const,
    ),
  )
  const ready = results.every(([, { ok }]) => ok)
  return { ready, checks: Object.fromEntries(results) }
}

async function runCheck(check: ReadinessCheck, ms: number, clock: Clock): Promise<CheckResult> {
  try {
    const detail = await withTimeLimit({ clock, ms }, check)
    return detail === undefined ? { ok: true } : { ok: true, detail }
  } catch (error) {
    return { ok: false, detail: messageOf(error) }
  }
}
