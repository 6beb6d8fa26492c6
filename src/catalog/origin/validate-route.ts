import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { Fault } from '../../platform/core/errors/faults.ts'
import { discoveryPaths } from '../../platform/core/http-paths.ts'
import type { Clock } from '../../platform/core/time/clock.ts'
import { clientAddress } from '../../platform/http/rate-limit/client-address.ts'
import { RateLimiter } from '../../platform/http/rate-limit/rate-limiter.ts'
import { type Route, serveRoute } from '../../platform/http/server/route.ts'
import type { Validator } from '../validation/open-validator.ts'
import {
  checkNames,
  type ResourceValidation,
  type ValidationDeps,
  validateResource,
} from './validate-resource.ts'

const MAX_URL_LENGTH = 2_048

const requestSchema = z.strictObject({
  url: z.string().min(1).max(MAX_URL_LENGTH).describe('Of the resource, as a buyer calls it.'),
  method: z
    .enum(['GET', 'HEAD', 'DELETE', 'POST', 'PUT', 'PATCH'])
    .optional()
    .describe('GET when absent.'),
})

const answerSchema = z.strictObject({
  url: z.string(),
  outcome: z.enum(['listable', 'refused']),
  checks: z
    .array(
      z.strictObject({
        name: z.enum(checkNames),
        ok: z.boolean(),
        code: z.string().exactOptional(),
        reason: z.string().min(1).exactOptional(),
      }),
    )
    .readonly()
    .describe('In the order in which they ran; the first that failed is the last.'),
  listing: z
    .looseObject({ resource: z.string(), kind: z.enum(['http', 'mcp']) })
    .describe('What would be listed, as in the history of a listing.')
    .exactOptional(),
})

export const validateRoute: Route = {
  id: 'validateResource',
  method: 'post',
  path: discoveryPaths.validate,
  tag: 'Catalog',
  summary: 'Whether a resource would be listed, and if not, why; nothing is written',
  request: { name: 'ValidationRequest', schema: requestSchema },
  answers: {
    200: {
      description: 'What the checks of an origin find',
      body: { name: 'ResourceValidation', schema: answerSchema },
    },
  },
}

/** Each request makes this service call a URL that a stranger chose. */
const PER_ADDRESS_A_MINUTE = 10
const IN_TOTAL_A_MINUTE = 120

/** All callers of the route together have one thread: the others validate what was paid for. */
const STRANGERS = 'dry runs'

export interface ValidateRouteDeps extends ValidationDeps {
  readonly validator: Validator
  readonly clock: Clock
  /** Proxies in front of the service that append to `X-Forwarded-For`. */
  readonly trustedProxyHops: number
}

/**
 * `POST /discovery/validate`.
 *
 * @returns what answers it, for other interfaces of the same process
 */
export function exposeValidate(app: FastifyInstance, deps: ValidateRouteDeps): DryRun {
  const { trustedProxyHops } = deps
  const dryRun = limitedDryRun(deps)
  serveRoute(app, validateRoute, async (request, reply) => {
    const answer = await dryRun(clientAddress(request.raw, trustedProxyHops), request.body)
    if ('retryAfterSeconds' in answer) {
      reply.header('retry-after', answer.retryAfterSeconds)
      throw new Fault('rate_limited', { reason: TOO_MANY })
    }
    reply.header('cache-control', 'no-store')
    return answer
  })
  return dryRun
}

export const TOO_MANY = 'too many validations in this minute'

/** Validates for the client at an address, unless it or all together asked too often. Throws `Fault`. */
export type DryRun = (
  address: string,
  question: unknown,
  signal?: AbortSignal,
) => Promise<ResourceValidation | { readonly retryAfterSeconds: number }>

/** Has limits of its own, which each process counts for itself, whichever way the questions come. */
function limitedDryRun(deps: Omit<ValidateRouteDeps, 'trustedProxyHops'>): DryRun {
  const { clock, validator } = deps
  const { allowLoopback } = validator
  const asStranger: ValidationDeps = {
    ...deps,
    validator: {
      allowLoopback,
      validate: (schema, info) => validator.validate(schema, info, { name: STRANGERS }),
    },
  }
  const byAddress = new RateLimiter({ perMinute: PER_ADDRESS_A_MINUTE, clock })
  const inTotal = new RateLimiter({ perMinute: IN_TOTAL_A_MINUTE, clock })
  return async (address, question, signal) => {
    const parsed = requestSchema.safeParse(question)
    if (!parsed.success) throw new Fault('bad_request', { reason: problemOf(parsed.error) })
    // One after the other: who exceeds the first limit must not use up what is left for all.
    for (const take of [() => byAddress.take(address), () => inTotal.take('all')]) {
      const decision = await take()
      if (!('mayPass' in decision)) return decision
    }
    const { url, method } = parsed.data
    return validateResource(asStranger, { url, ...(method && { method }) }, signal)
  }
}

function problemOf({ issues: [issue] }: z.ZodError): string {
  const member = issue?.path.join('.') || 'body'
  return `${member}: ${issue?.message ?? 'malformed'}`
}
