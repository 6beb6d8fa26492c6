import { randomUUID } from 'node:crypto'
import { McpServer as OldServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { WebStandardStreamableHTTPServerTransport as OldTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import type { OfficialServer } from '../../../../../src/package/mcp-server.ts'
import type { Generation } from '../../../../support/mcp-clients.ts'
import { type FetchHandler, serveFetch } from '../../../../support/serve-fetch.ts'
import type { Shop } from '../shop.ts'

const identity = { name: 'shop', version: '1.0.0' }
const capabilities = { capabilities: { logging: {} } }

/** A server of this SDK with these tools, which pays itself for each call: to a client they look like tools without a price. */
export async function servePaid(
  generation: Generation,
  sell: (server: OfficialServer) => void,
  pay: Shop['pay'],
) {
  const handle = generation === 'sdk 1' ? withSessions(sell) : withoutSessions(sell)
  return serveFetch(paying(handle, pay))
}

function withSessions(sell: (server: OfficialServer) => void): FetchHandler {
  const sessions = new Map<string, OldTransport>()
  return async (request) => {
    const known = sessions.get(request.headers.get('mcp-session-id') ?? '')
    if (known) return known.handleRequest(request)
    const server = new OldServer(identity, capabilities)
    sell(server)
    const transport = new OldTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, transport),
    })
    // The class declares optional members that its interface does not allow to be undefined.
    await server.connect(transport as Parameters<OldServer['connect']>[0])
    return transport.handleRequest(request)
  }
}

function withoutSessions(sell: (server: OfficialServer) => void): FetchHandler {
  const handler = createMcpHandler(() => {
    const server = new McpServer(identity, capabilities)
    sell(server)
    return server
  })
  return (request) => handler.fetch(request)
}

interface Message {
  readonly method?: string
  readonly params: { _meta?: object }
}

/** Asks for the price of a tool and pays it, before the caller gets an answer. */
function paying(handle: FetchHandler, pay: Shop['pay']): FetchHandler {
  return async (request) => {
    if (request.method !== 'POST') return handle(request)
    const message = (await request.clone().json()) as Message
    const { method, url, headers } = request
    const send = () => handle(new Request(url, { method, headers, body: JSON.stringify(message) }))
    const answer = await send()
    if (message.method !== 'tools/call') return answer
    const text = await answer.text()
    const { result } = JSON.parse(/^data: (\{.*\})$/m.exec(text)?.[1] ?? text)
    if (result?.structuredContent?.x402Version !== 2) return new Response(text, answer)
    const payment = await pay(result.structuredContent)
    message.params._meta = { ...message.params._meta, 'x402/payment': payment }
    return send()
  }
}
