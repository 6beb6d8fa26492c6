/** The assets every localnet has from its first ledger on. */
import { Asset } from '@stellar/stellar-sdk'

/**
 * USDC as on testnet: same issuer, and so under testnet's passphrase the same contract. Nobody here
 * holds the issuer's key; the faucet pays in its name.
 */
export const USDC_ISSUER = 'GBBD47IF6LWK7P7MDEVSCWR7DPUWV3NY3DTQEVFL4NAT4AQH3ZLLFLA5'
export const usdc = new Asset('USDC', USDC_ISSUER)

export const faucetAssets = { XLM: Asset.native(), USDC: usdc } as const
export type FaucetAsset = keyof typeof faucetAssets
