import type { ServedNetwork } from '../engine/network/served-network.ts'
import { type SupportedResponse, X402_VERSION } from '../protocol/protocol.ts'
import { servedKinds } from '../schemes/schemes.ts'

/**
 * The answer to `GET /supported`; signers are listed per network: the sponsor, then every channel by index, then those of
 * other sponsors of the store. Explorers read a limited number of signers, so a replica's own come first.
 *
 * @param extensions keys of the extensions that are served
 */
export function supported(
  networks: Iterable<ServedNetwork>,
  extensions: readonly string[],
): SupportedResponse {
  const served = [...networks]
  return {
    kinds: served.flatMap(({ id, policy }) =>
      servedKinds(policy).map((kind) => ({ x402Version: X402_VERSION, ...kind, network: id })),
    ),
    extensions,
    signers: {
      'stellar:*': [...new Set(served.flatMap(({ channels }) => channels.signers))],
    },
  }
}
