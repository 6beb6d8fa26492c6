import {
  type CallToolResult,
  type Client,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
} from '@modelcontextprotocol/client'
import { AnswerTooLarge } from '../../../platform/core/errors/read-answer.ts'
import { readMcpToolUrl } from '../../../platform/core/mcp-tool-url.ts'
import { untilAborted } from '../../../platform/core/time/until-aborted.ts'
import {
  RefusedUrl,
  type RequestLimits,
  type SellerAgent,
  type SellerAnswer,
  type SellerCall,
  type SellerHttp,
  SellerTooSlow,
} from '../../seller/seller-http.ts'
import { answerOfRefusal, answerOfResult, bytesOf, PAYMENT } from './answer-of-result.ts'
import { Redirected } from './bounded-fetch.ts'
import type { NamedServer } from './named-servers.ts'
import { type ConnectLimits, clientOverHttp, StdioClients } from './tool-client.ts'

/** The header in which the buyer's payment comes; a tool gets it in `_meta`. */
const PAYMENT_HEADER = 'payment-signature'

/** Calls tools of MCP servers for the buyer. Ends `agent` and the programs of `servers` with itself. */
export function toolSeller(
  agent: SellerAgent,
  servers: ReadonlyMap<string, NamedServer> = new Map(),
): SellerHttp {
  const programs = new StdioClients(servers)
  return {
    async [Symbol.asyncDispose]() {
      await agent[Symbol.asyncDispose]()
      await programs[Symbol.asyncDispose]()
    },
    send: (call, limits) => withinLimits(limits, (within) => callTool(call, within)),
  }

  async function callTool(call: SellerCall, limits: ConnectLimits): Promise<SellerAnswer> {
    const called = readMcpToolUrl(call.url)
    if (!called) throw new RefusedUrl('it names no tool of an MCP server')
    const headers = new Headers(call.headers)
    const payment = paymentIn(headers)
    headers.delete(PAYMENT_HEADER)
    const params = {
      name: called.tool,
      arguments: JSON.parse(call.body ?? '{}') as Record<string, unknown>,
      ...(payment !== undefined && { _meta: { [PAYMENT]: payment } }),
    }
    if (called.kind === 'stdio') {
      const { client, broken } = await programs.client(called.name, limits)
      const result = await untilAborted(broken, resultOf(client, params, limits))
      // Over HTTP the bytes were counted as they came.
      if (bytesOf(result) > limits.maxBytes) throw new AnswerTooLarge(`${limits.maxBytes} bytes`)
      return answerOfResult(result)
    }
    const client = await clientOverHttp(agent, called.server, { ...limits, headers })
    try {
      return answerOfResult(await resultOf(client, params, limits))
    } finally {
      await client.close().catch(() => undefined)
    }
  }
}

const paymentIn = (headers: Headers): unknown => {
  const header = headers.get(PAYMENT_HEADER)
  return header === null ? undefined : JSON.parse(Buffer.from(header, 'base64').toString())
}

type ToolParams = Parameters<Client['callTool']>[0]

async function resultOf(
  client: Client,
  params: ToolParams,
  { signal, timeLimitMs: timeout }: ConnectLimits,
): Promise<CallToolResult> {
  return (await client.callTool(params, { signal, timeout })) as CallToolResult
}

/** Ends the call at its limits, whatever the SDK still waits for. */
async function withinLimits(
  { timeLimitMs, maxBytes, signal }: RequestLimits,
  call: (limits: ConnectLimits) => Promise<SellerAnswer>,
): Promise<SellerAnswer> {
  signal?.throwIfAborted()
  const late = AbortSignal.timeout(timeLimitMs)
  const failed = new AbortController()
  const within = AbortSignal.any([late, failed.signal, ...(signal ? [signal] : [])])
  const limits = {
    ...{ timeLimitMs, maxBytes, headers: new Headers(), signal: within },
    fail: (error: unknown) => failed.abort(error),
  }
  try {
    return await untilAborted(within, call(limits))
  } catch (error) {
    signal?.throwIfAborted()
    if (late.aborted) throw new SellerTooSlow(timeLimitMs)
    return answerOfFailure(failed.signal.aborted ? failed.signal.reason : error)
  } finally {
    failed.abort(new Error('the call is over'))
  }
}

/** Codes of the SDK for a call without any answer. */
const withoutAnswer: readonly unknown[] = [
  SdkErrorCode.ConnectionClosed,
  SdkErrorCode.RequestTimeout,
  SdkErrorCode.NotConnected,
  SdkErrorCode.SendFailed,
]

/** The answer that an error of the SDK stands for. Throws the error of a call that got none. */
function answerOfFailure(error: unknown): SellerAnswer {
  if (error instanceof Redirected) {
    const { status, location } = error
    return { status, headers: new Headers({ location }), body: new Uint8Array(), cut: null }
  }
  if (error instanceof SdkHttpError)
    return { ...answerOfRefusal(error.message), status: error.status }
  if (error instanceof ProtocolError) return answerOfRefusal(error.message)
  if (error instanceof SdkError && !withoutAnswer.includes(error.code)) {
    return answerOfRefusal(error.message)
  }
  throw error
}
