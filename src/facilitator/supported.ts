import { EXACT_SCHEME, type SupportedResponse, X402_VERSION } from '../x402/protocol.ts'
import type { ServedNetwork } from './served-network.ts'

/**
 * The answer to `GET /supported`; signers are listed per network: the sponsor, then every channel by index.
 *
 * @param extensions keys of the extensions that are served
 */
export function supported(
  networks: Iterable<ServedNetwork>,
  extensions: readonly string[],
): SupportedResponse {
  const served = [...networks]
  return {
    kinds: served.map(({ id }) => ({
      x402Version: X402_VERSION,
      scheme: EXACT_SCHEME,
      network: id,
      extra: { areFeesSponsored: true },
    })),
    extensions,
    signers: {
      'stellar:*': [
        ...new Set(
          served.flatMap(({ sponsor, channels }) => [sponsor.address, ...channels.addresses]),
        ),
      ],
    },
  }
}
