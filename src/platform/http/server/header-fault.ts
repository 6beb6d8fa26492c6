import type { IncomingMessage } from 'node:http'
import { Fault } from '../../core/errors/faults.ts'

/** A client and its proxies send about thirty; Node itself would drop those beyond 2,000 without an error. */
const MAX_HEADERS = 200

/** The fault `bad_request` for headers that Node accepts and this server refuses. */
export function headerFault({ httpVersion, rawHeaders }: IncomingMessage): Fault | undefined {
  if (rawHeaders.length > 2 * MAX_HEADERS) {
    return new Fault('bad_request', { reason: `there are more than ${MAX_HEADERS} headers` })
  }
  const hosts = hostsIn(rawHeaders)
  // RFC 9112, 3.2: a request of HTTP/1.1 names its host; one of any version names one at most.
  if (hosts > 1) return new Fault('bad_request', { reason: 'there are several Host headers' })
  if (hosts > 0 || httpVersion !== '1.1') return undefined
  return new Fault('bad_request', { reason: 'the Host header is missing' })
}

function hostsIn(rawHeaders: readonly string[]): number {
  let count = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]
    if (name?.length === 4 && name.toLowerCase() === 'host') count += 1
  }
  return count
}
