import { type FaultCode, faults } from '../../platform/core/errors/faults.ts'
import { errorRefusal } from '../../platform/http/refusals/refusal.ts'
import { faultsOf, type Route, type RouteAnswer } from '../../platform/http/server/route.ts'
import { refTo } from './components.ts'
import { type Examples, examplesOf } from './examples.ts'

/** The member `responses` of an operation. */
export function responsesOf(route: Route, examples: Examples): Record<string, object> {
  const answered = Object.entries(route.answers).map(([status, answer]) => [
    status,
    {
      description: answer.description,
      headers: {
        ...requestId,
        ...(answer.mayNameRetryAfter && retryAfter),
        ...(answer.mayNameExtensions && extensionResponses),
        ...(answer.hasTag && tag),
      },
      ...(answer.body !== 'none' && {
        content: {
          ...contentOf(answer.body, examplesOf(examples, `${route.id} ${status}`)),
          ...(answer.alsoAs && { [answer.alsoAs]: { schema: { type: 'string' } } }),
        },
      }),
    },
  ])
  const codesByStatus = Map.groupBy(faultsOf(route), (code) => faults[code].status)
  const refused = [...codesByStatus].map(([status, codes]) => [
    String(status),
    refusalOf(route, { status, codes, examples }),
  ])
  const broken = Object.entries(brokenBytes).map(([status, description]) => [
    status,
    {
      description,
      content: contentOf(
        route.refusal ?? errorRefusal,
        examplesOf(examples, `${route.id} ${status}`),
      ),
    },
  ])
  return Object.fromEntries([...answered, ...refused, ...broken])
}

function refusalOf(
  { id, refusal = errorRefusal }: Route,
  {
    status,
    codes,
    examples,
  }: {
    readonly status: number
    readonly codes: readonly FaultCode[]
    readonly examples: Examples
  },
): object {
  return {
    description: codes.map((code) => `\`${code}\`: ${faults[code].help}`).join('; '),
    headers: { ...requestId, ...(codes.some((code) => waits.includes(code)) && retryAfter) },
    content: contentOf(refusal, examplesOf(examples, `${id} ${status}`)),
  }
}

/** Answers to bytes that never became a request. */
const brokenBytes = {
  408: '`bad_request`: the request came too slowly',
  431: '`bad_request`: the headers are too long',
}

const waits: readonly FaultCode[] = ['rate_limited', 'service_unavailable']

const requestId = {
  'X-Request-Id': {
    description:
      "The caller's own if it is short and harmless in a log, else a new one. Log lines carry it.",
    schema: { type: 'string' },
  },
}
const retryAfter = {
  'Retry-After': {
    description: 'Seconds to wait before the next request.',
    schema: { type: 'integer', minimum: 1 },
  },
}

const tag = {
  ETag: {
    description: 'Of this answer, for `If-None-Match`.',
    schema: { type: 'string' },
  },
}

const extensionResponses = {
  'EXTENSION-RESPONSES': {
    description:
      'What the catalog makes of the resource that the payment declares: base64 of the JSON `{"bazaar": {"phase", "status", "code", ...}}`. Only when the payment carries the extension `bazaar` and the verdict is positive.',
    schema: { type: 'string', maxLength: 4_096 },
  },
}

function contentOf(
  body: Exclude<RouteAnswer['body'], 'none'>,
  examples: ReturnType<typeof examplesOf>,
): object {
  if (body === 'text') return { 'text/plain': { schema: { type: 'string' } } }
  const schema = body === 'object' ? { type: 'object' } : refTo(body)
  return { 'application/json': { schema, ...examples } }
}
