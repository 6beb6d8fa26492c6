/** The assets that exist from genesis on. */
import { Asset } from '@stellar/stellar-sdk'

/**
 * Testnet's USDC: with testnet's passphrase also the same contract address. The issuer's key is unknown
 * here; the faucet's transactions are applied without its signature.
 */
export const USDC_ISSUER = 'GBBD47IF6LWK7P7MDEVSCWR7DPUWV3NY3DTQEVFL4NAT4AQH3ZLLFLA5'
export const usdc = new Asset('USDC', USDC_ISSUER)

export const faucetAssets = { XLM: Asset.native(), USDC: usdc } as const
export type FaucetAsset = keyof typeof faucetAssets
