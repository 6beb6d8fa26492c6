import type { FastifyInstance } from 'fastify'
import type { UsdUnits } from '../../platform/core/amounts/usd.ts'
import { publicPaths } from '../../platform/core/http-paths.ts'
import type { Db } from '../../platform/database/schema.ts'
import type { KeyGate } from '../../platform/http/access/key-gate.ts'
import { type Route, serveRoute } from '../../platform/http/server/route.ts'
import { readUsage } from '../store/usage/read.ts'
import { REPORTED_DAYS, usageAnswer } from './answer.ts'
import { callerOf } from './count-requests.ts'
import { usageAnswerSchema } from './schema.ts'
import type { UsageMeter } from './usage-meter.ts'

export const usageRoute: Route = {
  id: 'usage',
  method: 'get',
  path: publicPaths.usage,
  tag: 'Operations',
  summary: 'Requests and fees of the calling API key in the last 31 days',
  apiKey: 'required',
  answers: {
    200: {
      description: 'Counts by day, newest first',
      body: { name: 'Usage', schema: usageAnswerSchema },
    },
  },
}

export interface UsageDeps {
  readonly db: Db
  readonly meter: Pick<UsageMeter, 'flush'>
  readonly keyGate: KeyGate
  /** Accrued by a successful settlement now. */
  readonly serviceFee: UsdUnits
}

/** `GET /usage`: the request counts of the calling API key, which is always required. */
export function exposeUsage(
  app: FastifyInstance,
  { db, meter, keyGate, serviceFee }: UsageDeps,
): void {
  serveRoute(app, usageRoute, async (request, reply) => {
    const digest = keyGate.identify(request.headers)
    if (digest === undefined) throw keyGate.refusal('/usage', request.headers)
    // So counts of this replica appear at once; those of others within seconds.
    await meter.flush()
    const subject = callerOf(digest)
    const usage = await readUsage(db, subject, REPORTED_DAYS)
    reply.header('cache-control', 'no-store')
    return usageAnswer(subject, usage, serviceFee)
  })
}
