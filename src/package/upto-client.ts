/** The scheme `upto` for buyers: register it beside `exact` in a stock x402 client, 2.9.0 or newer. */
export {
  RefusedOffer,
  UPTO_SCHEME,
  type UptoClientOptions,
  UptoStellarScheme,
} from '../buying/upto/client.ts'
