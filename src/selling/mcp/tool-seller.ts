import { type Clock, systemClock } from '../../platform/core/time/clock.ts'
import type { DeliveryStore } from '../delivery/delivery-store.ts'
import { MemoryDeliveryStore } from '../delivery/memory-store.ts'
import { answerCall } from './answer-call.ts'
import { Deliveries } from './deliver-once.ts'
import { type OfferOptions, openOffers } from './offers.ts'
import type { PaidTool } from './tool.ts'
import { PAYMENT_EXTENSION } from './transport.ts'

/** The `McpServer` of the official SDK: of `@modelcontextprotocol/server`, or of `@modelcontextprotocol/sdk`. */
export interface OfficialServer {
  /** Its types differ between the two, and no type of this package is in both. */
  registerTool(name: string, config: never, callback: never): unknown
  isConnected(): boolean
  readonly server: { registerCapabilities(capabilities: object): void }
}

export interface ToolSellerOptions extends OfferOptions {
  /** Keeps what was delivered; the processes of one server share one. @default the memory of this process */
  readonly store?: DeliveryStore | undefined
  /** How long an answer is kept for repeats. @default a day */
  readonly keepMs?: number | undefined
  /** Takes errors that no buyer is told: of a facilitator or a store that does not answer. @default nobody is told */
  readonly onError?: ((error: unknown) => void) | undefined
}

export interface ToolSeller {
  /** Registers a tool with a price, as `registerTool` of the server does one without; before the server is connected. */
  sell<Input>(server: OfficialServer, tool: PaidTool<Input>): void
}

const DAY_MS = 86_400_000

/**
 * Sells tools of MCP servers by x402, in both bindings of its transport for MCP. One seller serves any number of servers,
 * such as one for each connection or each request.
 */
export function toolSeller(options: ToolSellerOptions, clock: Clock = systemClock): ToolSeller {
  const { resources, onError = () => {} } = options
  const { store = new MemoryDeliveryStore({ clock }), keepMs = DAY_MS } = options
  const deliveries = new Deliveries({ store, clock, keepMs, onError })
  const deps = { resources, offerOf: openOffers(options), deliveries, clock, onError }
  return {
    sell: (server, tool) => {
      const { name, accepts: _a, extensions: _e, example: _x, run: _r, ...config } = tool
      // The server validates the arguments with the schema, and passes none to a tool without one.
      const callback = tool.inputSchema
        ? (args: never, context: unknown) => answerCall(deps, tool, args, context)
        : (context: unknown) => answerCall(deps, tool, {} as never, context)
      server.registerTool(name, config as never, callback as never)
      if (!server.isConnected()) {
        server.server.registerCapabilities({ extensions: { [PAYMENT_EXTENSION]: {} } })
      }
    },
  }
}
