/** The buyer's client signs nothing for this offer. */
export class RefusedOffer extends Error {
  override readonly name = 'RefusedOffer'
  /** Why, without a full stop at the end. */
  readonly says: string
  /** The advice to the buyer. */
  readonly hint: string | undefined

  constructor(says: string, hint?: string) {
    super(hint === undefined ? `${says}.` : `${says}. ${hint}`)
    this.says = says
    this.hint = hint
  }
}

export const tooLongValid = (seconds: number, most: number): RefusedOffer =>
  new RefusedOffer(
    `The authorization would be valid for ${seconds} s, and maxTimeoutSeconds allows ${most}`,
  )
