/** The embedded network carries testnet's passphrase, so stock clients take it for testnet. */
export const DEMO_NETWORK = 'stellar:testnet'
