import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { readPaymentRequest } from '../../../src/payments/protocol/protocol.ts'
import { Fault } from '../../../src/platform/core/errors/faults.ts'
import { verifyRefusal } from '../../../src/platform/http/refusals/payment-refusal.ts'
import { createHttpServer } from '../../../src/platform/http/server/server.ts'
import { createLogger } from '../../../src/platform/telemetry/logs/logger.ts'
import { createMetrics } from '../../../src/platform/telemetry/metrics/metrics.ts'
import { flood, requestBytes } from './flood.ts'

/** Different kinds, so that each kind of refusal runs many times. */
const badRequests = [
  requestBytes('POST', '/verify', '{}'),
  requestBytes('POST', '/verify', '{"x402Version":2,"paymentPayload":[[[[]]]]}'),
  requestBytes('GET', '/verify'),
  requestBytes('GET', '/nowhere?x=1'),
]
const CONNECTIONS = 16

/** Heap in use after a full collection, in bytes, after each of these total numbers of bad requests. */
export async function heapAfter(counts: readonly number[]): Promise<number[]> {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  const metrics = createMetrics()
  const logger = createLogger({ level: 'silent' })
  await using server = createHttpServer({ logger, observe: metrics.observeRequest })
  server.app.post('/verify', { config: { refusal: verifyRefusal } }, async ({ body }) => {
    const reading = readPaymentRequest(body)
    if (!reading.ok) throw new Fault('bad_request', { reason: reading.problem })
    return {}
  })
  const { url } = await server.listen({ host: '127.0.0.1', port: 0 })
  const used: number[] = []
  let sent = 0
  for (const count of counts) {
    const requests = Math.ceil((count - sent) / badRequests.length)
    for (const request of badRequests) {
      await flood({ url, request, connections: CONNECTIONS, requests })
    }
    sent = count
    collect()
    used.push(process.memoryUsage().heapUsed)
  }
  return used
}
