import { McpServer } from '@modelcontextprotocol/server'
import type { NetworkId } from '../../platform/core/caip2.ts'
import { SELLER_TEXT_RULE } from './answers/seller-text.ts'
import type { Facts } from './facts/facts.ts'
import { inspectResource } from './tools/inspect-resource.ts'
import { paymentStatus } from './tools/payment-status.ts'
import { searchResources } from './tools/search-resources.ts'
import { sellerActivity } from './tools/seller-activity.ts'
import { registerTool, type Tool, type ToolDeps } from './tools/tool.ts'
import { validateResource } from './tools/validate-resource.ts'

export interface McpOptions extends ToolDeps {
  readonly version: string
  readonly facts: Facts
  /** The network of calls that name none. @default both */
  readonly network?: NetworkId | undefined
  /** Tools beside those that move no money. */
  readonly moreTools?: readonly Tool[]
}

const INSTRUCTIONS = [
  'Finds and checks HTTP APIs and MCP tools that are paid for with x402 on Stellar.',
  'Search with search_resources, then look at one with inspect_resource.',
  SELLER_TEXT_RULE,
].join(' ')

/** A server with every tool. It holds no state: one may serve a connection or a single request. */
export function createMcpServer({
  version,
  facts,
  network,
  moreTools = [],
  ...deps
}: McpOptions): McpServer {
  const server = new McpServer(
    { name: 'svc', title: 'x402 on Stellar', version },
    // The list of tools never changes while a process runs.
    { instructions: INSTRUCTIONS, capabilities: { tools: { listChanged: false } } },
  )
  const tools = [
    searchResources({ facts, network }),
    inspectResource(facts),
    validateResource(facts),
    paymentStatus(facts),
    sellerActivity({ facts, network }),
    ...moreTools,
  ]
  for (const each of tools) registerTool(server, each, deps)
  return server
}
