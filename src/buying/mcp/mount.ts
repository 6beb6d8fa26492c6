import {
  createMcpHandler,
  localhostAllowedOrigins,
  originValidationResponse,
} from '@modelcontextprotocol/server'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { Fault } from '../../platform/core/errors/faults.ts'
import { mcpPath } from '../../platform/core/http-paths.ts'
import { clientAddress } from '../../platform/http/rate-limit/client-address.ts'
import type { RefusalFormat } from '../../platform/http/refusals/refusal.ts'
import { serveRoute } from '../../platform/http/server/route.ts'
import { whenOver } from '../../platform/http/server/when-over.ts'
import { createMcpServer, type McpOptions } from './create-server.ts'
import type { Facts } from './facts/facts.ts'

export interface MountOptions extends Omit<McpOptions, 'facts'> {
  /** Returns the facts for one request; the address is limited as on the HTTP routes of the same facts. */
  readonly factsFor: (clientAddress: string) => Facts
  /** Proxies in front of the service that append to `X-Forwarded-For`. */
  readonly trustedProxyHops: number
}

/** A refusal of the server itself, as clients of JSON-RPC read one: too many requests, a body that is none. */
const mcpRefusal: RefusalFormat = {
  name: 'McpRefusal',
  schema: z.looseObject({ jsonrpc: z.literal('2.0') }),
  bodyOf: ({ code, message, retryable }) => ({
    jsonrpc: '2.0',
    id: null,
    error: { code: -32_000, message, data: { code, retryable } },
  }),
}

/** Only this process sets it: no header of the caller reaches the handler but those below. */
const ADDRESS = 'x-svc-client-address'
const passed = [
  'accept',
  'content-type',
  'mcp-protocol-version',
  'mcp-method',
  'mcp-name',
  'origin',
]

/**
 * `POST /mcp`: Streamable HTTP without sessions, so that any replica answers any request, also those of clients of the
 * protocol before 2026-07-28. Each request is one call, which counts for the rate limit as any other request does.
 */
export function exposeMcp(app: FastifyInstance, options: MountOptions): void {
  const { factsFor, trustedProxyHops, ...shared } = options
  const handler = createMcpHandler(
    ({ requestInfo }) =>
      createMcpServer({ ...shared, facts: factsFor(requestInfo?.headers.get(ADDRESS) ?? '') }),
    {
      // No list of this server ever changes. The handler acknowledges `subscriptions/listen` as a subscription to nothing and ends it
      // at once, so that none is ever open; with a limit of zero it would answer an internal error instead.
      maxSubscriptions: 1,
      onerror: () => {},
    },
  )
  app.addHook('onClose', () => handler.close())
  const route = { method: 'post', path: mcpPath, refusal: mcpRefusal } as const
  serveRoute(app, route, async (request, reply) => {
    if (Array.isArray(request.body)) {
      throw new Fault('bad_request', { reason: 'a batch of messages is not supported' })
    }
    const asked = webRequest(request, reply, clientAddress(request.raw, trustedProxyHops))
    // A page of another site, also one whose host name was rebound to this machine, sends its origin.
    const refused = originValidationResponse(asked, localhostAllowedOrigins())
    return reply.send(refused ?? (await handler.fetch(asked, { parsedBody: request.body })))
  })
}

/** The request as the handler takes it; its signal aborts when the caller goes away before the answer is out. */
function webRequest({ headers, url, raw }: FastifyRequest, reply: FastifyReply, address: string) {
  const gone = new AbortController()
  whenOver(raw, reply.raw, () => {
    if (!reply.raw.writableFinished) gone.abort(new Error('the caller went away'))
  })
  const given = passed.flatMap((name) => {
    const value = headers[name]
    return typeof value === 'string' ? [[name, value] as const] : []
  })
  return new Request(`http://mcp.invalid${url}`, {
    method: 'POST',
    headers: Object.fromEntries([...given, [ADDRESS, address]]),
    signal: gone.signal,
  })
}
