import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Fault } from '../../platform/core/errors/faults.ts'
import {
  type Parameters,
  type ReadQuery,
  type RefusedQuery,
  readQuery,
} from '../../platform/http/server/query.ts'
import { serveRoute } from '../../platform/http/server/route.ts'
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

/** Serves a read: strict parameters, a tag, and how long the answer may be kept. */
export function serveRead<Path extends Parameters, Query extends Parameters>(
  app: FastifyInstance,
  route: ExplorerRoute<Path, Query>,
  read: (asked: Asked<Path, Query>) => Promise<Kept>,
): void {
  serveRoute(app, route, async (request, reply) => {
    const asked = {
      path: valuesOf(route.pathParameters, request.params) as Asked<Path, Query>['path'],
      query: valuesOf(route.query, request.query),
    }
    const { answer, seconds } = await read(asked)
    return send(request, reply, textOf(answer), seconds)
  })
}

function valuesOf<P extends Parameters>(parameters: P, given: unknown): Values<P> {
  const read = readQuery(parameters, given)
  if (!read.ok) throw invalidQuery(read)
  return read.values
}

export const invalidQuery = ({ reason, parameter, value = '' }: Omit<RefusedQuery, 'ok'>): Fault =>
  new Fault('explorer_invalid_query', { reason, details: { parameter, value } })

function send(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  { text, tag }: AnswerText,
  seconds: number,
) {
  reply.headers({ etag: tag, 'cache-control': `public, max-age=${seconds}` })
  if (isKnown(headers['if-none-match'], tag)) return reply.code(304).send()
  return reply.type('application/json; charset=utf-8').send(text)
}

/** Compares weakly (RFC 9110, 13.1.2): proxies may have weakened or strengthened the tag. */
function isKnown(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false
  const opaque = (each: string) => each.trim().replace(/^W\//, '')
  return header.split(',').some((each) => each.trim() === '*' || opaque(each) === opaque(tag))
}

interface AnswerText {
  readonly text: string
  /** Weak: the encodings of an answer differ in bytes and not in meaning. */
  readonly tag: string
}

/** Answers that several callers share are written once. */
const texts = new WeakMap<object, AnswerText>()

const TAG_LENGTH = 22

/** An answer as it is sent. It must not change any more. */
function textOf(answer: object): AnswerText {
  const known = texts.get(answer)
  if (known) return known
  const text = JSON.stringify(answer)
  const digest = createHash('sha256').update(text).digest('base64url').slice(0, TAG_LENGTH)
  const made = { text, tag: `W/"${digest}"` }
  texts.set(answer, made)
  return made
}
