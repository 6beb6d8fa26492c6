import type { PaymentRequired, SettleResponse } from '@x402/core/types'

/*
 * x402 over MCP, as specs/transports-v2/mcp.md of x402 has it. Both of its bindings carry the payment and the receipt in the
 * same members of `_meta`; they differ in how a tool answers that it has a price.
 */

export const PAYMENT = 'x402/payment'
const RECEIPT = 'x402/payment-response'

/** The negotiated extension: its key in the capabilities of a client and of a server. */
export const PAYMENT_EXTENSION = 'org.x402/payment'

/** Revisions of MCP are dates; results of other types exist from this one on. */
const FIRST_WITH_RESULT_TYPES = '2026-07-28'
const VERSION = 'io.modelcontextprotocol/protocolVersion'
const CLIENT_CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities'

/** What a tool answers, as MCP has it. */
export interface ToolResult {
  readonly content: readonly { readonly type: string; readonly [member: string]: unknown }[]
  readonly structuredContent?: unknown
  readonly isError?: boolean | undefined
  readonly _meta?: Readonly<Record<string, unknown>> | undefined
  readonly [member: string]: unknown
}

/** What the official SDK passes to the callback of a tool: the first one's `extra`, the second one's context. */
export interface SdkContext {
  readonly meta: Readonly<Record<string, unknown>>
  /** Aborts when the caller cancels the call or goes away. */
  readonly signal: AbortSignal
  /** Whether the caller reads a result of the type `payment_required`. */
  readonly readsExtension: boolean
}

export function readContext(given: unknown): SdkContext {
  const context = members(given)
  const request = 'mcpReq' in context ? members(context['mcpReq']) : context
  const { signal } = request
  const envelope = members(request['envelope'])
  const version = envelope[VERSION]
  return {
    meta: members(request['_meta']),
    signal: signal instanceof AbortSignal ? signal : new AbortController().signal,
    readsExtension:
      typeof version === 'string' &&
      version >= FIRST_WITH_RESULT_TYPES &&
      Object.hasOwn(
        members(members(envelope[CLIENT_CAPABILITIES])['extensions']),
        PAYMENT_EXTENSION,
      ),
  }
}

/**
 * The answer to a call without a payment that settles it. In the extension `isError` keeps the SDK from comparing the answer
 * with the tool's output schema, and a client that overlooks the type from taking it for the tool's.
 */
export function paymentRequiredResult(
  { readsExtension }: SdkContext,
  required: PaymentRequired,
  receipt?: SettleResponse,
): ToolResult {
  const meta = receipt && { _meta: { [RECEIPT]: receipt } }
  if (readsExtension) {
    const resultType = 'payment_required'
    return { resultType, paymentRequired: required, content: [], isError: true, ...meta }
  }
  const content = [{ type: 'text', text: JSON.stringify(required) }]
  return { isError: true, structuredContent: required, content, ...meta }
}

export const withReceipt = (result: ToolResult, receipt: SettleResponse): ToolResult => ({
  ...result,
  _meta: { ...result._meta, [RECEIPT]: receipt },
})

const members = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
