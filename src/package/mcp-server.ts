/** Tools with a price, in an MCP server of the official SDK. */
export type { DeliveryStore } from '../selling/delivery/delivery-store.ts'
export { MemoryDeliveryStore } from '../selling/delivery/memory-store.ts'
export type { OfferOptions, StockServer } from '../selling/mcp/offers.ts'
export type { PaidCall, PaidTool, Schema, ToolPrice } from '../selling/mcp/tool.ts'
export {
  type OfficialServer,
  type ToolSeller,
  type ToolSellerOptions,
  toolSeller,
} from '../selling/mcp/tool-seller.ts'
export type { ToolResult } from '../selling/mcp/transport.ts'
