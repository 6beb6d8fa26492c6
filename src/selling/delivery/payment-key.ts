import { canonicalHash } from '../../platform/core/text/canonical-json.ts'

/**
 * The key of a payment in a store, whatever it buys: over HTTP from any host of the seller, or a tool.
 *
 * @param signed the part of the payment that the scheme signs, of which the network takes one. Nobody signs the rest, which
 * includes the id: with that in the key, a buyer could change it, and have one payment served twice.
 */
export const paymentKey = (signed: unknown): string => `x402:payment:${canonicalHash(signed)}`
