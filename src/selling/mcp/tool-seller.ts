import { type SteadyClock, systemClock } from '../../platform/core/time/clock.ts'
import { Deliveries } from '../delivery/deliveries.ts'
import type { DeliveryStore } from '../delivery/delivery-store.ts'
import { MemoryDeliveryStore } from '../delivery/memory-store.ts'
import { claimSettings } from '../delivery/options.ts'
import { answerCall } from './answer-call.ts'
import type { MadeResult } from './deliver-once.ts'
import { type OfferOptions, openOffers } from './offers.ts'
import type { PaidTool } from './tool.ts'
import { PAYMENT_EXTENSION, type ToolResult } from './transport.ts'

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
  /** The name of this server among those that use the store, as of `stellar-x402/delivery`. @default 'tools' */
  readonly scope?: string | undefined
  /** How long an answer is kept for repeats. @default a day */
  readonly keepMs?: number | undefined
  /** A tool that has not answered by then has failed, and its signal aborts. @default 10 minutes */
  readonly maxRunMs?: number | undefined
  /** Takes errors that no buyer is told: of a facilitator or a store that does not answer. @default nobody is told */
  readonly onError?: ((error: unknown) => void) | undefined
}

export interface ToolSeller {
  /** Registers a tool with a price, as `registerTool` of the server does one without; before the server is connected. */
  sell<Input>(server: OfficialServer, tool: PaidTool<Input>): void
}

/**
 * Sells tools of MCP servers by x402, in both bindings of its transport for MCP. One seller serves any number of servers,
 * such as one for each connection or each request. Throws RangeError for a scope that is no name.
 */
export function toolSeller(
  options: ToolSellerOptions,
  clock: SteadyClock = systemClock,
): ToolSeller {
  const { resources, scope = 'tools', keepMs, maxRunMs } = options
  const settings = claimSettings({
    store: options.store ?? new MemoryDeliveryStore({ clock }),
    scope,
    clock,
    onError: options.onError ?? (() => {}),
    ...(keepMs !== undefined && { keepMs }),
    ...(maxRunMs !== undefined && { maxHandlerMs: maxRunMs }),
  })
  const deliveries = new Deliveries<MadeResult, ToolResult>(settings)
  const { onError } = settings
  const deps = { resources, offerOf: openOffers(options), deliveries, scope, clock, onError }
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
