import type { NetworkId } from '../../../../platform/core/caip2.ts'

const names: Readonly<Record<NetworkId, string>> = {
  'stellar:testnet': 'Testnet',
  'stellar:pubnet': 'Pubnet',
}

/** `Testnet`; the whole id is in the API and on a payment's page. */
export const networkName = (network: NetworkId): string => names[network]
