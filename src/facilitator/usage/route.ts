import type { FastifyInstance } from 'fastify'
import { Fault } from '../../core/faults.ts'
import { publicPaths } from '../../core/http-paths.ts'
import type { UsdUnits } from '../../core/usd.ts'
import type { KeyGate } from '../../http/key-gate.ts'
import { type Route, serveRoute } from '../../http/route.ts'
import type { Db } from '../../store/schema.ts'
import { readUsage } from '../../store/usage/read.ts'
import { answering } from '../answering.ts'
import { TOLD_DAYS, usageAnswer } from './answer.ts'
import { callerOf } from './caller.ts'
import { usageAnswerSchema } from './schema.ts'
import type { UsageMeter } from './usage-meter.ts'

export const usageRoute: Route = {
  id: 'usage',
  method: 'get',
  path: publicPaths.usage,
  tag: 'Operations',
  summary: 'What the calling key has used in the last 31 days',
  apiKey: 'required',
  answers: {
    200: { description: 'Its counts', body: { name: 'Usage', schema: usageAnswerSchema } },
  },
}

export interface UsageDeps {
  readonly db: Db
  readonly meter: Pick<UsageMeter, 'flush'>
  readonly keyGate: KeyGate
  /** What a successful settlement accrues now. */
  readonly serviceFee: UsdUnits
}

/** `GET /usage`: what the calling key has asked for. A key is always needed. */
export function exposeUsage(
  app: FastifyInstance,
  { db, meter, keyGate, serviceFee }: UsageDeps,
): void {
  serveRoute(app, usageRoute, (request, reply) =>
    answering(async () => {
      const digest = keyGate.identify(request.headers)
      if (digest === undefined) {
        throw new Fault('unauthorized', { reason: '/usage asks for an API key that is known here' })
      }
      // What this replica has counted is told at once; what others have, within seconds.
      await meter.flush()
      const subject = callerOf(digest)
      reply.header('cache-control', 'no-store')
      return usageAnswer(subject, await readUsage(db, subject, TOLD_DAYS), serviceFee)
    }),
  )
}
