/** What the official clients do not do: they refuse the results of an extension that they do not know. */

const version = '2026-07-28'

export const paymentCapability = { extensions: { 'org.x402/payment': {} } }

interface Message {
  readonly method: string
  readonly params?: Record<string, unknown>
  readonly capabilities?: object
}

/** One message of MCP 2026-07-28 over Streamable HTTP. @returns its result */
// biome-ignore lint/suspicious/noExplicitAny: tests look into it
export async function send(url: string, message: Message): Promise<any> {
  const { method, params = {}, capabilities = paymentCapability } = message
  const meta = {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': capabilities,
    ...Object(params['_meta']),
  }
  const { name } = params
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': version,
      'mcp-method': method,
      ...(typeof name === 'string' && { 'mcp-name': name }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } }),
  })
  const text = await response.text()
  const data = /^data: (\{.*\})$/m.exec(text)?.[1] ?? text
  const { result, error } = JSON.parse(data)
  if (error) throw new Error(`${method}: ${JSON.stringify(error)}`)
  return result
}

/** Several messages in one request, as revision 2025-03-26 of MCP had it. Servers may refuse them. */
export async function sendBatch(url: string, messages: readonly Message[]): Promise<void> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify(messages.map((message, id) => ({ jsonrpc: '2.0', id, ...message }))),
  })
  await response.text()
}
