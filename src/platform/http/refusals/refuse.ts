import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Fault, type FaultCode, faults } from '../../core/errors/faults.ts'
import type { KnownPaths } from '../server/known-paths.ts'
import type { PublicFault, RefusalFormat } from './refusal.ts'
import { toFault } from './to-fault.ts'

/**
 * Seconds after which a refused caller may try again. Within a second a draining replica gets no more
 * requests, and a lost store is usually back. Code that knows a better value sets the header itself.
 */
const retryAfterSeconds: Partial<Record<FaultCode, number>> = {
  service_unavailable: 1,
  rate_limited: 1,
}

declare module 'fastify' {
  interface FastifyInstance {
    knownPaths: KnownPaths
  }
}

/** Refuses everything that has no format of its own in this format, also paths without a route. */
export function refuseIn(app: FastifyInstance, format: RefusalFormat): void {
  app.knownPaths.fallback = format
}

/** Answers every thrown error, and every path without a route, in the format of the path. */
export function installRefusals(app: FastifyInstance, paths: KnownPaths): void {
  app.decorate('knownPaths', paths)
  app.setErrorHandler(function answerThrown(error, request, reply) {
    const fault = toFault(error)
    logRefusal(request, fault)
    // Not returned: a reply is a promise too, and fastify would wait for it to be sent.
    answer(reply, fault, refusalFor(request, paths), request.body)
  })

  // In a hook, not in the not-found handler, which would run only after the body was read.
  app.addHook('onRequest', function refuseUnrouted({ is404, url }, reply, done) {
    if (!is404) return done()
    const known = paths.find(url)
    if (!known) return done(new Fault('not_found'))
    const allowed = known.methods.join(', ')
    reply.header('allow', allowed)
    done(new Fault('method_not_allowed', { reason: `this path supports only ${allowed}` }))
  })
}

/**
 * Sets the status, and gives the body for a handler to return. For requests that anyone can send in
 * masses: throwing and catching an error would add half of their cost.
 */
export function refuse(
  { log, routeOptions, body, id, server }: FastifyRequest,
  reply: FastifyReply,
  code: FaultCode,
  reason: string,
): object {
  log.debug({ code, reason }, 'Request refused')
  const { status, retryable } = faults[code]
  void reply.code(status)
  const fault: PublicFault = { code, message: reason, retryable, details: undefined }
  return (routeOptions.config.refusal ?? server.knownPaths.fallback).bodyOf(fault, body, id)
}

/** Answers a request that failed before it had a route, where no hook and no handler runs. */
export function answerUnroutable(
  error: Error,
  request: FastifyRequest,
  reply: FastifyReply,
  paths: KnownPaths,
): void {
  reply.header('x-request-id', request.id)
  answer(reply, toFault(error), paths.fallback, undefined)
}

/** Failures of the service are logged with their cause, bad requests at level debug. */
function logRefusal({ log }: FastifyRequest, fault: Fault): void {
  const { code, message: reason, cause } = fault
  if (code === 'internal_error') {
    log.error({ err: cause ?? fault }, 'Request failed unexpectedly')
  } else if (fault.status >= 500 && cause !== undefined) {
    log.warn({ err: cause, code, reason }, 'Request could not be answered')
  } else {
    log.debug({ code, reason }, 'Request refused')
  }
}

function refusalFor(
  { is404, routeOptions, url }: FastifyRequest,
  paths: KnownPaths,
): RefusalFormat {
  const chosen = is404 ? paths.find(url)?.refusal : routeOptions.config.refusal
  return chosen ?? paths.fallback
}

function answer(reply: FastifyReply, fault: Fault, refusal: RefusalFormat, body: unknown): void {
  const wait = retryAfterSeconds[fault.code]
  if (wait !== undefined && !reply.hasHeader('retry-after')) reply.header('retry-after', wait)
  void reply.code(fault.status).send(refusal.bodyOf(fault, body, reply.request.id))
}
