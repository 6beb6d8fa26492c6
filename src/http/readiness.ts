import type { FastifyInstance } from 'fastify'

/** Resolves with an optional detail when all is well; throws with the reason when not. */
export type ReadinessCheck = (signal: AbortSignal) => Promise<string | undefined>
export type ReadinessChecks = Readonly<Record<string, ReadinessCheck>>

export interface ReadinessResult {
  readonly ready: boolean
  readonly checks: Readonly<Record<string, CheckResult>>
}

interface CheckResult {
  readonly ok: boolean
  readonly detail?: string
}

/** Shorter than the usual probe timeout of a few seconds, so that the answer names the slow check. */
const CHECK_TIMEOUT_MS = 2_000

/** Serves the outcome of the checks: 200 when every one passes, 503 otherwise. */
export function exposeReadiness(app: FastifyInstance, path: string, checks: ReadinessChecks): void {
  app.get(
    path,
    { config: { answersWhileDraining: true, isUnlimited: true } },
    async (_request, reply) => {
      const result = await runChecks(checks)
      return reply.code(result.ready ? 200 : 503).send(result)
    },
  )
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
