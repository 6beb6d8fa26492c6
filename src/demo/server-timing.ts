import { AsyncLocalStorage } from 'node:async_hooks'
import type { x402ResourceServer } from '@x402/express'
import type { RequestHandler, Response } from 'express'
import type { Clock } from '../core/clock.ts'

interface Visit {
  readonly response: Response
  readonly entries: string[]
  startedAt: number
}

/**
 * Lets a stock resource server tell its caller how long the facilitator took. The hooks of the
 * server know the moments, but not the response; the visit that async storage carries joins them.
 * Header syntax: W3C Server Timing, durations in milliseconds.
 */
export function serverTiming(server: x402ResourceServer, clock: Clock): RequestHandler {
  const visits = new AsyncLocalStorage<Visit>()

  const begin = async () => {
    const visit = visits.getStore()
    if (visit) visit.startedAt = clock.now()
  }
  const end = (stage: string) => async () => {
    const visit = visits.getStore()
    if (!visit) return
    visit.entries.push(`${stage};dur=${clock.now() - visit.startedAt}`)
    visit.response.setHeader('Server-Timing', visit.entries.join(', '))
  }
  server.onBeforeVerify(begin).onAfterVerify(end('verify'))
  server.onBeforeSettle(begin).onAfterSettle(end('settle'))

  return function rememberVisit(_request, response, next) {
    visits.run({ response, entries: [], startedAt: 0 }, next)
  }
}

/** Reads the durations of a Server-Timing header, by name, in milliseconds. */
export function readServerTiming(header: string | null): Map<string, number> {
  const durations = new Map<string, number>()
  for (const entry of (header ?? '').split(',')) {
    const match = /^\s*(?<name>[\w-]+);dur=(?<ms>\d+(?:\.\d+)?)\s*$/.exec(entry)
    if (match?.groups) durations.set(match.groups['name']!, Number(match.groups['ms']))
  }
  return durations
}
