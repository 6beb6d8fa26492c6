import { once } from 'node:events'
import { type ClientRequest, get, type IncomingMessage } from 'node:http'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import type { LiveClient } from '../../../../src/explorer/web/live/live-updates.ts'
import { exposeLive, type LiveRouteOptions } from '../../../../src/explorer/web/live/route.ts'
import { systemClock } from '../../../../src/platform/core/time/clock.ts'
import { createHttpServer } from '../../../../src/platform/http/server/server.ts'

/** More than the system keeps of a connection that nobody reads. */
const MOST_EVENTS = 64
const MEGABYTE = 'x'.repeat(1_000_000)

test('a browser that never reads is disconnected, and its events are not kept', async () => {
  const clients: LiveClient[] = []
  let hasLeft = false
  const connect = (client: LiveClient) => {
    clients.push(client)
    return () => {
      hasLeft = true
    }
  }
  const server = createHttpServer({ logger: pino({ level: 'silent' }) })
  const live = { connect } as LiveRouteOptions['live']
  const unused = {} as LiveRouteOptions['reads']
  exposeLive(server.app, {
    ...{ live, reads: unused, networks: [], version: '', clock: systemClock, trustedProxyHops: 0 },
  })
  const url = await server.app.listen({ port: 0, host: '127.0.0.1' })
  onTestFinished(async () => {
    await server.close()
  })
  const request: ClientRequest = get(`${url}/ui/live`)
  request.on('error', () => undefined)
  onTestFinished(() => void request.destroy())
  const [answer]: IncomingMessage[] = await once(request, 'response')
  answer?.pause()
  for (let events = 0; events < MOST_EVENTS && !hasLeft; events++) {
    clients[0]?.send([], MEGABYTE)
    await nextTurn()
  }
  expect(hasLeft).toBe(true)
})
