import type { ServedNetwork } from '../engine/network/served-network.ts'
import type { PaymentRequest } from '../protocol/protocol.ts'
import { X402_VERSION } from '../protocol/protocol.ts'
import type { Refusal } from '../protocol/refusal.ts'

export type NetworkChoice =
  | { readonly ok: true; readonly network: ServedNetwork }
  | { readonly ok: false; readonly refusal: Refusal }

/** Finds the network that a request names. */
export function chooseNetwork(
  networks: ReadonlyMap<string, ServedNetwork>,
  { x402Version, paymentRequirements }: PaymentRequest,
): NetworkChoice {
  const network = networks.get(paymentRequirements.network)
  if (network) return { ok: true, network }
  if (x402Version !== X402_VERSION) {
    const message = `x402Version is ${x402Version}, expected ${X402_VERSION}`
    return { ok: false, refusal: { code: 'invalid_x402_version', message } }
  }
  const served = [...networks.keys()].join(', ')
  const message = `network ${paymentRequirements.network} is not served here; served: ${served}`
  return { ok: false, refusal: { code: 'invalid_network', message } }
}
