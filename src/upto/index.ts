/** The scheme `upto` for buyers and sellers. Programs that are one of both import `svc/upto/client` or `svc/upto/server`. */
export { chargeUpTo } from './charge.ts'
export {
  RefusedOffer,
  UPTO_SCHEME,
  type UptoClientOptions,
  UptoStellarScheme as UptoStellarClient,
} from './client.ts'
export { registerUptoStellarScheme } from './register.ts'
export { UptoStellarScheme as UptoStellarServer } from './scheme-server.ts'
