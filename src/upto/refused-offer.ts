/** The buyer's client signs nothing for this offer. The message says why, and what the buyer can do. */
export class RefusedOffer extends Error {
  override readonly name = 'RefusedOffer'
}
