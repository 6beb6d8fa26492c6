import type { Network } from '@x402/core/types'
import { UPTO_SCHEME } from '../../payments/schemes/upto/terms.ts'
import { UptoStellarScheme } from './scheme-server.ts'

/** The argument that a stock server passes to its hooks after a settlement. */
interface Settled {
  readonly requirements: { readonly scheme: string; readonly amount: string }
  readonly result: { readonly success: boolean; readonly amount?: string }
}

/** The stock `x402ResourceServer`, as far as it is needed here. */
interface StockServer {
  register(network: Network, scheme: UptoStellarScheme): unknown
  onAfterSettle(hook: (settled: Settled) => Promise<void>): unknown
}

/**
 * Registers the scheme `upto` in a stock server, which then tells buyers in `PAYMENT-RESPONSE` what was settled: 2.9.0
 * alone drops `amount` of the facilitator's answer.
 *
 * @returns the server
 */
export function registerUptoStellarScheme<Server extends StockServer>(
  server: Server,
  network: Network,
  scheme = new UptoStellarScheme(),
): Server {
  server.register(network, scheme)
  server.onAfterSettle(tellAmount)
  return server
}

/** A facilitator that succeeds has settled the amount that it was asked for. */
async function tellAmount({ requirements, result }: Settled): Promise<void> {
  if (requirements.scheme !== UPTO_SCHEME || !result.success || result.amount !== undefined) return
  Object.assign(result, { amount: requirements.amount })
}
