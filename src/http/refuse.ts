import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Fault, type FaultCode } from '../core/faults.ts'
import type { KnownPaths } from './known-paths.ts'
import { errorBody, type RefusalShape } from './refusal.ts'
import { toFault } from './to-fault.ts'

/**
 * Seconds after which a refused caller may come back. A draining replica is out of rotation, and a lost
 * store is usually back, within a second; whoever knows better sets the header before throwing.
 */
const retryAfterSeconds: Partial<Record<FaultCode, number>> = { service_unavailable: 1 }

/** Turns everything thrown, and every path without a route, into the service's own refusals. */
export function refuseInOwnWords(app: FastifyInstance, paths: KnownPaths): void {
  app.setErrorHandler(function answerThrown(error, request, reply) {
    const fault = toFault(error)
    if (fault.code === 'internal_error') {
      request.log.error({ err: fault.cause ?? fault }, 'Request failed unexpectedly')
    }
    return answer(reply, fault, shapeFor(request, paths), request.body)
  })

  // In a hook, not in the not-found handler: a body sent to the wrong place is not worth reading.
  app.addHook('onRequest', async function refuseUnrouted({ is404, url }, reply) {
    if (!is404) return
    const known = paths.find(url)
    if (!known) throw new Fault('not_found')
    reply.header('allow', known.methods.join(', '))
    throw new Fault('method_not_allowed')
  })
}

/** Answers a request that failed before it had a route, where no hook and no handler runs. */
export function answerUnroutable(error: Error, request: FastifyRequest, reply: FastifyReply): void {
  reply.header('x-request-id', request.id)
  void answer(reply, toFault(error), errorBody, undefined)
}

function shapeFor({ is404, routeOptions, url }: FastifyRequest, paths: KnownPaths): RefusalShape {
  const chosen = is404 ? paths.find(url)?.refusal : routeOptions.config.refusal
  return chosen ?? errorBody
}

function answer(reply: FastifyReply, fault: Fault, shape: RefusalShape, body: unknown) {
  const wait = retryAfterSeconds[fault.code]
  if (wait !== undefined && !reply.hasHeader('retry-after')) reply.header('retry-after', wait)
  return reply.code(fault.status).send(shape(fault, body))
}
