/** CAIP-2 ids of the networks this service can serve. */
export const networkIds = ['stellar:testnet', 'stellar:pubnet'] as const
export type NetworkId = (typeof networkIds)[number]

export const isNetworkId = (value: unknown): value is NetworkId =>
  networkIds.some((id) => id === value)

/** The names of a network's own environment variables start with this. */
export const variablePrefixes: Readonly<Record<NetworkId, string>> = {
  'stellar:testnet': 'TESTNET_',
  'stellar:pubnet': 'PUBNET_',
}

/** Network passphrases, as SEP-5 and stellar-core fix them. */
export const passphrases: Readonly<Record<NetworkId, string>> = {
  'stellar:testnet': 'Test SDF Network ; September 2015',
  'stellar:pubnet': 'Public Global Stellar Network ; September 2015',
}

/** USDC contracts, by derivation from Circle's issuer on each network. */
export const usdcContracts: Readonly<Record<NetworkId, string>> = {
  'stellar:testnet': 'CBIELTK6YBZJU5UP2WWQEUCYKLPU6AUNZ2BQ4WWFEIE3USCIHMXQDAMA',
  'stellar:pubnet': 'CCW67TSZV3SSS2HXMBQ5JFGCKJNXKZM7UQUWUZPUTHXSTZLEO7SJMI75',
}

/** Circle's issuer of USDC on each network: https://developers.circle.com/stablecoins/usdc-contract-addresses. */
export const usdcIssuers: Readonly<Record<NetworkId, string>> = {
  'stellar:testnet': 'GBBD47IF6LWK7P7MDEVSCWR7DPUWV3NY3DTQEVFL4NAT4AQH3ZLLFLA5',
  'stellar:pubnet': 'GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVN',
}
