import { type FaultCode, faults } from '../core/faults.ts'
import { type ComponentName, refTo } from './components.ts'
import { type ExampleName, examplesOf } from './examples.ts'
import type { Answered, Operation } from './operations.ts'

/** The member `responses` of an operation. */
export function responsesOf(operation: Operation): Record<string, object> {
  const answered = Object.entries(operation.answers).map(([status, answer]) => [
    status,
    {
      description: answer.description,
      headers: requestId,
      content: contentOf(answer.body, `${operation.id} ${status}`),
    },
  ])
  const refused = operation.faults.map((code) => [
    String(faults[code].status),
    refusalOf(operation, code),
  ])
  const broken = Object.entries(brokenBytes).map(([status, description]) => [
    status,
    { description, content: contentOf(operation.refusal, `${operation.id} ${status}`) },
  ])
  return Object.fromEntries([...answered, ...refused, ...broken])
}

function refusalOf({ id, refusal }: Operation, code: FaultCode): object {
  const { status, help } = faults[code]
  return {
    description: `\`${code}\`: ${help}`,
    headers: { ...requestId, ...(waits.includes(code) && retryAfter) },
    content: contentOf(refusal, `${id} ${status}`),
  }
}

/** Refused before it is a request, with the code `bad_request`. */
const brokenBytes = {
  408: '`bad_request`: the request came too slowly',
  431: '`bad_request`: the headers are too long',
}

const waits: readonly FaultCode[] = ['rate_limited', 'service_unavailable']

const requestId = {
  'X-Request-Id': {
    description: "The caller's own when it is fit to repeat, else a fresh one; it is in the logs.",
    schema: { type: 'string' },
  },
}
const retryAfter = {
  'Retry-After': {
    description: 'Seconds after which to come back.',
    schema: { type: 'integer', minimum: 1 },
  },
}

function contentOf(body: Answered['body'], examples: ExampleName): object {
  if (body === 'text') return { 'text/plain': { schema: { type: 'string' } } }
  const schema = body === 'object' ? { type: 'object' } : refTo(body satisfies ComponentName)
  return { 'application/json': { schema, ...examplesOf(examples) } }
}
