import { mcpToolUrl, readMcpToolUrl } from '../../../../../platform/core/mcp-tool-url.ts'
import { asciiJson } from '../../../../../platform/core/text/ascii-json.ts'
import { shellWord } from '../../../../../platform/core/text/shell-word.ts'
import type { Purchase } from './purchase.ts'
import { mcpConfiguration, payWords, SEED_NOTE, type Snippet } from './snippets.ts'
import { typescriptOfTool } from './typescript.ts'

/** A tool of an MCP server with the arguments of its example. */
export interface PaidTool {
  /** Of the server. */
  readonly url: string
  readonly name: string
  readonly arguments: unknown
}

/** Ways to pay for a tool. Every value in their texts is ASCII, and quoted for its language. */
export function toolSnippets(
  tool: PaidTool,
  purchase: Purchase,
  facilitatorUrl: string,
): readonly Snippet[] {
  const url = mcpToolUrl(tool.url, tool.name)
  // A server over plain http that is not on this machine is paid by programs alone.
  const withSvc = readMcpToolUrl(url) ? snippetsOfSvc(url, tool, purchase, facilitatorUrl) : []
  return [
    ...withSvc,
    {
      id: 'pay-typescript',
      title: 'TypeScript',
      note: 'With the stock x402 packages. Set BUYER_SECRET to the seed of the payer.',
      code: typescriptOfTool(tool, purchase),
    },
    {
      id: 'pay-server',
      title: 'MCP configuration of this server',
      note: 'The host of an agent then lists the tools of this server. It is asked for the price at each call.',
      code: `${asciiJson({ mcpServers: { seller: { url: tool.url } } }, 2)}\n`,
    },
  ]
}

function snippetsOfSvc(
  url: string,
  tool: PaidTool,
  purchase: Purchase,
  facilitatorUrl: string,
): readonly Snippet[] {
  const words = payWords(url, purchase, ['--data', asciiJson(tool.arguments)])
  const svcPay = {
    id: 'pay-svc',
    title: 'svc pay',
    note: SEED_NOTE,
    code: `${['svc', ...words].map(shellWord).join(' ')}\n`,
  }
  // Agents pay in USDC alone.
  if (!purchase.isUsdc) return [svcPay]
  const asked = { url, arguments: tool.arguments, max: purchase.max }
  return [
    svcPay,
    {
      id: 'pay-mcp',
      title: 'MCP configuration',
      note: 'For the host of an agent, which then pays with the tool call_paid_tool, within the budget.',
      code: `${asciiJson(mcpConfiguration(purchase, facilitatorUrl), 2)}\n`,
    },
    {
      id: 'pay-mcp-arguments',
      title: 'Arguments of call_paid_tool',
      note: 'What the agent calls the tool with.',
      code: `${asciiJson(asked, 2)}\n`,
    },
  ]
}
