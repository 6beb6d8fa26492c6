import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { Fault } from '../../../platform/core/errors/faults.ts'
import { publicPaths } from '../../../platform/core/http-paths.ts'
import type { Clock } from '../../../platform/core/time/clock.ts'
import type { Db } from '../../../platform/database/schema.ts'
import type { KeyGate } from '../../../platform/http/access/key-gate.ts'
import { readQuery } from '../../../platform/http/server/query.ts'
import { type Route, serveRoute } from '../../../platform/http/server/route.ts'
import { whenOver } from '../../../platform/http/server/when-over.ts'
import { callerOf } from '../count-requests.ts'
import { MONTH_PATTERN, parseMonth, whyNoStatement } from './month.ts'
import { renderStatement, statementFormats } from './render.ts'
import { statementAnswerSchema } from './schema.ts'
import { readStatement } from './statement.ts'

const parameters = {
  month: {
    schema: z.string().regex(MONTH_PATTERN),
    rule: 'a month such as 2026-11',
    isRequired: true,
  },
  format: { schema: z.enum(statementFormats), rule: 'json or csv; json when it is absent' },
} as const

export const statementRoute: Route = {
  id: 'statement',
  method: 'get',
  path: publicPaths.statement,
  tag: 'Operations',
  summary: 'The payments of the calling API key that settled in a month of UTC, with totals',
  apiKey: 'required',
  query: parameters,
  answers: {
    200: {
      description: 'The statement, as long as the month has payments; as CSV with `format=csv`',
      body: { name: 'Statement', schema: statementAnswerSchema },
      alsoAs: 'text/csv',
    },
  },
}

/** Statements that a process sends at one time: their queries share the connections of payments. */
const MAX_OPEN = 4
/** A page has some 300 KB. A client that takes a few bytes now and then would keep its place for days otherwise. */
const PAGE_TIMEOUT_MS = 30_000

export interface StatementDeps {
  readonly db: Db
  readonly keyGate: KeyGate
  readonly clock: Clock
  /** How long ended settlements are kept. @default for ever */
  readonly settlementRetentionDays?: number | undefined
  /** How long a client may take for a page, until its connection is cut. @default 30_000 */
  readonly statementPageTimeoutMs?: number | undefined
}

/** `GET /usage/statement`: the settlements of the calling API key, which is always required. */
export function exposeStatement(app: FastifyInstance, deps: StatementDeps): void {
  const { db, keyGate, clock, settlementRetentionDays } = deps
  const { statementPageTimeoutMs = PAGE_TIMEOUT_MS } = deps
  /** The keys whose statements are being sent. */
  const open = new Set<string>()
  serveRoute(app, statementRoute, async (request, reply) => {
    const digest = keyGate.identify(request.headers)
    if (digest === undefined) throw keyGate.refusal(publicPaths.statement, request.headers)
    const read = readQuery(parameters, request.query)
    if (!read.ok) throw new Fault('bad_request', { reason: read.reason })
    const { month: name = '', format = 'json' } = read.values
    const month = parseMonth(name)
    if (!month) throw new Fault('bad_request', { reason: `month must be ${parameters.month.rule}` })
    const now = clock.now()
    const reason = whyNoStatement(month, now, settlementRetentionDays)
    if (reason !== undefined) throw new Fault('bad_request', { reason })
    if (open.has(digest))
      throw new Fault('rate_limited', { reason: 'another statement of this API key is being sent' })
    if (open.size >= MAX_OPEN)
      throw new Fault('service_unavailable', { reason: 'other statements are being sent' })
    open.add(digest)
    const pageTimeout = setTimeout(() => request.raw.socket.destroy(), statementPageTimeoutMs)
    whenOver(request.raw, reply.raw, () => {
      clearTimeout(pageTimeout)
      open.delete(digest)
    })
    const text = renderStatement(readStatement(db, callerOf(digest), { month, now }), format)
    const first = await text.next()
    reply.header('cache-control', 'no-store')
    reply.type(format === 'csv' ? 'text/csv; charset=utf-8' : 'application/json; charset=utf-8')
    if (format === 'csv') {
      reply.header('content-disposition', `attachment; filename="statement-${name}.csv"`)
    }
    return reply.send(Readable.from(withFirst(first.value, text, () => pageTimeout.refresh())))
  })
}

/** A part is read once the client has taken the one before. @param onRead called for each */
async function* withFirst(
  first: string,
  rest: AsyncIterable<string>,
  onRead: () => void,
): AsyncGenerator<string> {
  yield first
  for await (const part of rest) {
    onRead()
    yield part
  }
}
