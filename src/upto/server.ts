/** The scheme `upto` for sellers, in a stock x402 server of 2.9.0 or newer. */
export { chargeUpTo } from './charge.ts'
export { registerUptoStellarScheme } from './register.ts'
export { UptoStellarScheme } from './scheme-server.ts'
