import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Fault } from '../../platform/core/errors/faults.ts'
import {
  type Parameters,
  type ReadQuery,
  type RefusedQuery,
  readQuery,
} from '../../platform/http/server/query.ts'
import { serveRoute } from '../../platform/http/server/route.ts'
import type { SharedAnswers } from '../shared-answers.ts'
import { isKnown, taggedText } from '../tagged-text.ts'
import type { ExplorerRoute } from './explorer-route.ts'

type Values<P extends Parameters> = Extract<ReadQuery<P>, { ok: true }>['values']

export interface Asked<Path extends Parameters, Query extends Parameters> {
  readonly path: Required<Values<Path>>
  readonly query: Values<Query>
}

/** An answer, and for how many seconds anyone may keep it. */
export interface Kept {
  readonly answer: object
  readonly seconds: number
}

/** Where reads are served. */
export interface ReadServer {
  readonly app: FastifyInstance
  /** By URL. */
  readonly answers: SharedAnswers
  readonly sameUrlMs: number
}

/** Serves a read: strict parameters, a tag, and how long the answer may be kept. Those who ask at the same time share it. */
export function serveRead<Path extends Parameters, Query extends Parameters>(
  { app, answers, sameUrlMs }: ReadServer,
  route: ExplorerRoute<Path, Query>,
  read: (asked: Asked<Path, Query>) => Promise<Kept>,
): void {
  const answer = async ({ params, query }: FastifyRequest) => {
    const { answer: found, seconds } = await read({
      path: valuesOf(route.pathParameters, params) as Asked<Path, Query>['path'],
      query: valuesOf(route.query, query),
    })
    return { ...taggedText(JSON.stringify(found)), seconds }
  }
  serveRoute(app, route, async (request, reply) => {
    const { text, tag, seconds } = await answers.get(request.url, sameUrlMs, () => answer(request))
    reply.headers({ etag: tag, 'cache-control': `public, max-age=${seconds}` })
    if (isKnown(request.headers['if-none-match'], tag)) return reply.code(304).send()
    return reply.type('application/json; charset=utf-8').send(text)
  })
}

function valuesOf<P extends Parameters>(parameters: P, given: unknown): Values<P> {
  const read = readQuery(parameters, given)
  if (!read.ok) throw invalidQuery(read)
  return read.values
}

export const invalidQuery = ({ reason, parameter, value = '' }: Omit<RefusedQuery, 'ok'>): Fault =>
  new Fault('explorer_invalid_query', { reason, details: { parameter, value } })
