/** What a reader of a command that pays has to have, or to replace. */

/** Where the seed of the payer is: `svc wallet new --out` makes such a file. */
export const SEED_FILE = 'buyer.seed'
/** Of the public network the reader has to name a Stellar RPC. */
export const EXAMPLE_RPC = 'https://stellar-rpc.example'
