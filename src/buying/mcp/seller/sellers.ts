import { isMcpToolUrl } from '../../../platform/core/mcp-tool-url.ts'
import {
  type SellerHttp,
  type SellerHttpOptions,
  sellerAgent,
  sellerHttp,
} from '../../seller/seller-http.ts'
import type { NamedServer } from './named-servers.ts'

interface SellersOptions extends SellerHttpOptions {
  /** MCP servers on standard input and output, by name. @default none */
  readonly servers?: ReadonlyMap<string, NamedServer> | undefined
}

/** Calls of HTTP resources, and of tools of MCP servers by their `mcp+` URL. */
export function sellers({ servers, ...options }: SellersOptions = {}): SellerHttp {
  const http = sellerHttp(options)
  let tools: Promise<SellerHttp> | undefined
  const openTools = async () => {
    // Only who calls a tool needs the client of the protocol.
    const { toolSeller } = await import('./tool-seller.ts')
    return toolSeller(sellerAgent(options), servers)
  }
  return {
    send: async (call, limits) => {
      if (!isMcpToolUrl(call.url)) return http.send(call, limits)
      tools ??= openTools()
      return (await tools).send(call, limits)
    },
    async [Symbol.asyncDispose]() {
      await http[Symbol.asyncDispose]()
      await (await tools)?.[Symbol.asyncDispose]()
    },
  }
}
