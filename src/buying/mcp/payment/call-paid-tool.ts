import { z } from 'zod'
import { isMcpToolUrl, readMcpToolUrl } from '../../../platform/core/mcp-tool-url.ts'
import type { SellerCall } from '../../seller/seller-http.ts'
import { type Tool, tool } from '../tools/tool.ts'
import { toolInput } from '../tools/tool-input.ts'
import {
  headersArgument,
  headersOf,
  invalid,
  maxArgument,
  type PayOptions,
  paidOutput,
  payOnce,
} from './pay-and-call.ts'

/** Characters of the arguments as JSON. */
const MAX_ARGUMENTS = 65_536

const input = toolInput({
  url: z
    .string()
    .max(2_048)
    .refine(isMcpToolUrl, 'starts with mcp+https:// or mcp+stdio://')
    .describe(
      'The tool, such as mcp+https://api.example/mcp#forecast, or mcp+stdio://name#forecast of a server that the user configured. Of a listing: call in its sellerText.',
    ),
  max: maxArgument,
  arguments: z.record(z.string(), z.unknown()).default({}).describe('Of the tool.'),
  headers: headersArgument.describe('Of the HTTP requests, such as authorization; not for stdio.'),
})

/** Pays for one call of a tool of another MCP server, within the same limits as `pay_and_call`. */
export const callPaidTool = (options: PayOptions): Tool =>
  tool({
    name: 'call_paid_tool',
    title: 'Pay for a tool of another MCP server',
    description: `Calls a tool of another MCP server that asks for a price in USDC, pays it on ${options.network}, and returns the result. Costs the user real money up to max: the price is asked for first, and refused above max or above the budget of 24 hours. After an error read whether something was paid. The same call again gets the result of a payment whose outcome is unknown, and pays only when that has expired unused; list_payments shows what became of it.`,
    input,
    output: paidOutput,
    movesMoney: true,
    call: (asked, use) =>
      options.open.run((ending) => {
        const signal = AbortSignal.any([use.signal, ending])
        return payOnce(callOf(asked), asked.max, {
          ...{ ...options, ...use, signal, ending },
          cancelled: use.signal,
        })
      }),
  })

/** Throws `ToolFailure` for what no call can have. */
function callOf({ url, arguments: given, headers = {} }: z.output<typeof input>): SellerCall {
  const called = readMcpToolUrl(url)
  if (!called) {
    throw invalid(
      'url names a server and a tool, as in mcp+https://api.example/mcp#tool; mcp+http: only on this machine',
    )
  }
  if (called.kind === 'stdio' && Object.keys(headers).length > 0) {
    throw invalid('a server on standard input takes no headers')
  }
  const body = JSON.stringify(given)
  if (body.length > MAX_ARGUMENTS) throw invalid('arguments are too long')
  return { url, method: 'tools/call', headers: headersOf(headers), body }
}
