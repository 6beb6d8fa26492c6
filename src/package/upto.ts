/** The scheme `upto` for buyers and sellers. Programs that are one of both import `stellar-x402/upto/client` or `stellar-x402/upto/server`. */

export {
  RefusedOffer,
  UPTO_SCHEME,
  type UptoClientOptions,
  UptoStellarScheme as UptoStellarClient,
} from '../buying/upto/client.ts'
export { chargeUpTo } from '../selling/upto/charge.ts'
export { registerUptoStellarScheme } from '../selling/upto/register.ts'
export { UptoStellarScheme as UptoStellarServer } from '../selling/upto/scheme-server.ts'
