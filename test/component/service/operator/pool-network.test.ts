/** A tenant chooses the endpoints of its pool, and may change them without end. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { expect, test } from 'vitest'
import { passphrases } from '../../../../src/platform/core/caip2.ts'
import { systemClock } from '../../../../src/platform/core/time/clock.ts'
import { fetchWithLookup } from '../../../../src/platform/http/guarded-fetch/fetch-with-lookup.ts'
import { podLookup } from '../../../../src/platform/http/guarded-fetch/pod-lookup.ts'
import { createLogger } from '../../../../src/platform/telemetry/logs/logger.ts'
import { openPoolNetwork } from '../../../../src/service/operator/pool-network.ts'

const NETWORK = 'stellar:testnet'

test('the connections to the endpoints of a pool end when the pool gives them up', async () => {
  const open = new Set<Socket>()
  const result = { passphrase: passphrases[NETWORK], protocolVersion: 23 }
  const server = createServer((_, answer) => {
    answer.setHeader('keep-alive', 'timeout=700')
    answer.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result }))
  })
  server.keepAliveTimeout = 700_000
  server.on('connection', (socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const urls = [`http://127.0.0.1:${port}`]
  const key = JSON.stringify({ network: NETWORK, allowHttp: true, urls, headers: [] })
  const deps = {
    clock: systemClock,
    logger: createLogger({ level: 'silent' }),
    openFetch: () => fetchWithLookup(podLookup()),
  }

  const network = await openPoolNetwork(key, deps)
  expect(open.size).toBe(1)
  const [socket] = open
  const closed = once(socket!, 'close')
  await network[Symbol.asyncDispose]()
  await closed
  server.close()
})
