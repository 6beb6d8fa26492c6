import type { CallToolResult, JSONRPCMessage } from '@modelcontextprotocol/client'
import type { SellerAnswer } from '../../seller/seller-http.ts'

/*
 * A tool's result as an answer of HTTP, so that one buyer pays both: a price as 402, an error of the tool as 500, price and settlement in
 * the headers that the HTTP transport of x402 has for them.
 */

/** Keys of `_meta`, and the negotiated extension: x402's specs/transports-v2/mcp.md. */
export const PAYMENT = 'x402/payment'
const PAYMENT_RESPONSE = 'x402/payment-response'
export const EXTENSION = 'org.x402/payment'

/** A message of a server as the SDK may see it. */
export const readable = (message: JSONRPCMessage): JSONRPCMessage =>
  withoutSchemas(withoutExtension(message))

/**
 * The SDK checks results with the schema of its server, whose patterns can take for ever, and throws away a paid result that does not follow
 * it.
 */
function withoutSchemas(message: JSONRPCMessage): JSONRPCMessage {
  if (!('result' in message) || !Array.isArray(message.result['tools'])) return message
  const tools = message.result['tools'].map((tool: unknown) => {
    const { outputSchema: _, ...rest } = Object(tool)
    return rest
  })
  return { ...message, result: { ...message.result, tools } }
}

/** The SDK rejects result types that it does not know: the extension's price becomes that of a result that is an error. */
function withoutExtension(message: JSONRPCMessage): JSONRPCMessage {
  if (!('result' in message) || message.result['resultType'] !== 'payment_required') return message
  const { paymentRequired, _meta } = message.result
  const result = {
    resultType: 'complete',
    isError: true,
    structuredContent: Object(paymentRequired),
    content: [],
    ...(_meta && { _meta }),
  }
  return { ...message, result }
}

export function answerOfResult(result: CallToolResult): SellerAnswer {
  const required = result.isError ? requiredOf(result) : undefined
  const settlement = Object(result._meta)[PAYMENT_RESPONSE]
  const headers = new Headers()
  if (settlement !== undefined) headers.set('payment-response', encoded(settlement))
  if (required !== undefined) headers.set('payment-required', encoded(required))
  const status = required !== undefined ? 402 : result.isError ? 500 : 200
  const [type, text] = required === undefined ? shownContent(result) : jsonOf(required)
  headers.set('content-type', type)
  return { status, headers, body: Buffer.from(text), cut: null }
}

/** A refusal of the server itself: an unknown tool, arguments that do not follow the schema. */
export const answerOfRefusal = (message: string): SellerAnswer => ({
  status: 500,
  headers: new Headers({ 'content-type': 'text/plain' }),
  body: Buffer.from(message),
  cut: null,
})

/** The price: `structuredContent`, or without one there the first text, which repeats it as JSON. */
function requiredOf({ structuredContent, content }: CallToolResult): object | undefined {
  if (isRequired(structuredContent)) return structuredContent
  const [first] = content
  if (first?.type !== 'text') return undefined
  try {
    const read: unknown = JSON.parse(first.text)
    return isRequired(read) ? read : undefined
  } catch {
    return undefined
  }
}

const isRequired = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && 'x402Version' in value && 'accepts' in value

type Shown = readonly [type: string, text: string]

/** A structured result is shown alone: its text only repeats it. */
function shownContent({ structuredContent, content }: CallToolResult): Shown {
  if (structuredContent !== undefined) return jsonOf(structuredContent)
  const texts = content.flatMap((each) => (each.type === 'text' ? [each.text] : []))
  return texts.length === content.length ? ['text/plain', texts.join('\n')] : jsonOf(content)
}

/** This leaves out what is nested too deeply to be written, so that it does not hide the settlement. */
function jsonOf(value: unknown): Shown {
  try {
    return ['application/json', JSON.stringify(value)]
  } catch {
    return ['application/json', '']
  }
}

/** Of the result as it is sent. */
export const bytesOf = (result: CallToolResult): number => Buffer.byteLength(jsonOf(result)[1])

const encoded = (value: unknown): string => Buffer.from(jsonOf(value)[1]).toString('base64')
