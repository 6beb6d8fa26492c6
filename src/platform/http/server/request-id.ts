import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

/** Ids that a caller may choose: short, and harmless in a log line or a header. */
const acceptable = /^[A-Za-z0-9._:/+=-]{1,128}$/

/** The caller's `x-request-id` when it is acceptable, else a new one. */
export function requestIdOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const given = headers['x-request-id']
  return typeof given === 'string' && acceptable.test(given) ? given : randomUUID()
}
