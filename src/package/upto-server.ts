/** The scheme `upto` for sellers, in a stock x402 server of 2.9.0 or newer. */
export { chargeUpTo } from '../selling/upto/charge.ts'
export { registerUptoStellarScheme } from '../selling/upto/register.ts'
export { UptoStellarScheme } from '../selling/upto/scheme-server.ts'
