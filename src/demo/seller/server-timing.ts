import { AsyncLocalStorage } from 'node:async_hooks'
import type { x402ResourceServer } from '@x402/express'
import type { RequestHandler, Response } from 'express'
import type { Clock } from '../../platform/core/time/clock.ts'

interface TimedRequest {
  readonly response: Response
  readonly entries: string[]
  startedAt: number
}

/**
 * Makes a stock resource server report in a header how long the facilitator took. The server's hooks do
 * not get the response, so async storage carries it to them.
 * Header syntax: W3C Server Timing, durations in milliseconds.
 */
export function serverTiming(server: x402ResourceServer, clock: Clock): RequestHandler {
  const requests = new AsyncLocalStorage<TimedRequest>()

  const begin = async () => {
    const request = requests.getStore()
    if (request) request.startedAt = clock.now()
  }
  const end = (stage: string) => async () => {
    const request = requests.getStore()
    if (!request) return
    request.entries.push(`${stage};dur=${clock.now() - request.startedAt}`)
    request.response.setHeader('Server-Timing', request.entries.join(', '))
  }
  server.onBeforeVerify(begin).onAfterVerify(end('verify'))
  server.onBeforeSettle(begin).onAfterSettle(end('settle'))

  return function timeRequest(_request, response, next) {
    requests.run({ response, entries: [], startedAt: 0 }, next)
  }
}
